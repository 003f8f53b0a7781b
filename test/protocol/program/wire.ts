// What clients of all versions send and receive, in the ProtoJSON of A2A 1.0: each adapter of a client translates to it,
// so that a scenario is written once.
import * as z from 'zod';

const part = z.looseObject({
  text: z.string().optional(),
  /** Base64. */
  raw: z.string().optional(),
  url: z.string().optional(),
  data: z.unknown().optional(),
  mediaType: z.string().optional(),
  filename: z.string().optional(),
});
export type WirePart = z.infer<typeof part>;

const message = z.looseObject({
  role: z.string().optional(),
  contextId: z.string().optional(),
  parts: z.array(part).default([]),
});
const status = z.looseObject({ state: z.string(), message: message.optional() });
const artifact = z.looseObject({
  artifactId: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  metadata: z.looseObject({}).optional(),
  parts: z.array(part).default([]),
});

export const wireTask = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  status,
  artifacts: z.array(artifact).default([]),
  history: z.array(message).default([]),
});
export type WireTask = z.infer<typeof wireTask>;

/** A `StreamResponse`, or the response of `SendMessage`. */
export const wireEvent = z.looseObject({
  task: wireTask.optional(),
  message: message.optional(),
  statusUpdate: z.looseObject({ taskId: z.string(), contextId: z.string(), status }).optional(),
  artifactUpdate: z
    .looseObject({
      taskId: z.string(),
      artifact,
      append: z.boolean().default(false),
      lastChunk: z.boolean().default(false),
    })
    .optional(),
});
export type WireEvent = z.infer<typeof wireEvent>;

export interface Outgoing {
  readonly parts: readonly WirePart[];
  readonly taskId?: string;
  readonly contextId?: string;
  readonly returnImmediately?: boolean;
  readonly push?: PushTarget;
}

export interface PushTarget {
  readonly url: string;
  readonly token: string;
}

export const textMessage = (text: string, some: Omit<Outgoing, 'parts'> = {}): Outgoing => ({
  parts: [{ text }],
  ...some,
});

export const readTexts = (from: { readonly parts: readonly WirePart[] } | undefined): string =>
  (from?.parts ?? []).flatMap(({ text }) => text ?? []).join('\n');

/** Without the prefix that all states have. */
export const readState = ({ status: { state } }: Pick<WireTask, 'status'>): string =>
  state.replace('TASK_STATE_', '');

/** In short, such as `status WORKING Looking for hotels.` */
export function describeEvent({ task, message, statusUpdate, artifactUpdate }: WireEvent): string {
  if (artifactUpdate) return `artifact ${artifactUpdate.artifact.artifactId}`;
  if (message) return `message ${readTexts(message)}`;
  const shown = task ?? statusUpdate;
  if (!shown) return 'nothing';
  const words = readTexts(shown.status.message);
  return `${task ? 'task' : 'status'} ${readState(shown)}${words && ` ${words}`}`;
}
