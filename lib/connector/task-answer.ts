// A task as the result of `call_agent`: what its agent says as a text for people, and all of it as structured content.
import { Task } from '@a2a-js/sdk';
import type { ContentBlock } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { describeTask } from '#lib/a2a/own-task.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { describeNeeds } from '#lib/run/missing-connections.ts';
import { runFailure } from '#lib/run/result.ts';
import type { RunView } from '#lib/run/state.ts';
import type { ToolAnswer } from './tool.ts';

const part = z.object({
  text: z.string().optional(),
  data: z.json().optional(),
  raw: z.string().optional().meta({ description: 'A file in base64.' }),
  url: z.string().optional().meta({ description: 'The address of a file.' }),
  media_type: z.string().optional(),
  filename: z.string().optional(),
});

export const taskAnswer = z.object({
  task_id: z.string().meta({ description: 'Identifies the task in further calls of call_agent.' }),
  context_id: z.string(),
  state: z.enum([
    'completed',
    'input_required',
    'auth_required',
    'working',
    'failed',
    'rejected',
    'canceled',
  ]),
  text: z.string(),
  artifacts: z.array(
    z.object({
      artifact_id: z.string(),
      name: z.string().optional(),
      description: z.string().optional(),
      parts: z.array(part),
    }),
  ),
  error: runFailure.optional().meta({ description: 'Why the task failed, for programs.' }),
  auth_url: z.string().optional().meta({ description: 'The page on which a person stores what is missing.' }),
  retry_after_seconds: z.int().optional().meta({ description: 'When to call again with the task_id.' }),
});
export type TaskAnswer = z.infer<typeof taskAnswer>;

const retryAfterSeconds = 5;

/** `note` is shown above what the task says. */
export function toTaskAnswer(view: RunView, note?: string): ToolAnswer {
  const { run_id: task_id, context_id } = view.run;
  const state = readState(view);
  const task = wireTask.parse(Task.toJSON(describeTask(view, { historyLength: 0 })));
  const artifacts = (task.artifacts ?? []).map(toArtifact);
  const said = describe(view, state, [...listStatusParts(view, task), ...listParts(task)]);
  const text = note === undefined ? said : `${note}\n\n${said}`;
  const structured: TaskAnswer = {
    task_id,
    context_id,
    state,
    text,
    artifacts,
    ...(view.failure && { error: view.failure }),
    ...(view.needs && { auth_url: view.needs.configuration_url }),
    ...(state === 'working' && { retry_after_seconds: retryAfterSeconds }),
  };
  const isError = state === 'failed' || state === 'rejected' || state === 'canceled';
  return { text, structured, isError, blocks: listImages(listParts(task)) };
}

/** The result of a call, as MCP has it. */
export const toCallResult = ({ text, structured, isError, blocks = [] }: ToolAnswer) => ({
  content: [{ type: 'text' as const, text }, ...blocks],
  structuredContent: structured,
  ...(isError && { isError: true }),
});

function readState({ status, as }: RunView): TaskAnswer['state'] {
  if (status === 'submitted') return 'working';
  return status === 'completed' && as === 'rejected' ? 'rejected' : status;
}

const wirePart = z.object({
  text: z.string().optional(),
  data: z.json().optional(),
  raw: z.string().optional(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  filename: z.string().optional(),
});
type WirePart = z.infer<typeof wirePart>;

const wireArtifact = z.object({
  artifactId: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  parts: z.array(wirePart),
});

/** What is read of a task as A2A clients receive it. */
const wireTask = z.object({
  status: z.object({ message: z.object({ parts: z.array(wirePart) }).optional() }),
  artifacts: z.array(wireArtifact).optional(),
});
type WireTask = z.infer<typeof wireTask>;

const listParts = ({ artifacts = [] }: WireTask): WirePart[] => artifacts.flatMap(({ parts }) => parts);

/** The data of a failure is in the structured content. */
const listStatusParts = ({ failure }: RunView, { status }: WireTask): WirePart[] =>
  (status.message?.parts ?? []).filter(({ data }) => !failure || data === undefined);

const toArtifact = ({
  artifactId,
  name,
  description,
  parts,
}: z.infer<typeof wireArtifact>): TaskAnswer['artifacts'][number] => ({
  artifact_id: artifactId,
  ...(name && { name }),
  ...(description && { description }),
  parts: parts.map(({ mediaType, filename, ...content }) => ({
    ...content,
    ...(mediaType && { media_type: mediaType }),
    ...(filename && { filename }),
  })),
});

function describe(view: RunView, state: TaskAnswer['state'], parts: readonly WirePart[]): string {
  const { run_id } = view.run;
  if (state === 'working') {
    const next = `Call call_agent again with task_id ${run_id} and the message "continue" in a few seconds to get the result.`;
    return `The agent is still working. ${next}`;
  }
  if (state === 'input_required') {
    const next = `Ask the user, then call call_agent with task_id ${run_id} and the answer as the message.`;
    return `The agent asks: ${describeFirst(view)}\n\n${next}`;
  }
  if (state === 'auth_required' && view.needs) {
    const next = `When it is done, call call_agent with task_id ${run_id} and the message "continue".`;
    return `${describeNeeds(view.needs)} The user stores them on this page: ${view.needs.configuration_url}\n\n${next}`;
  }
  const said = parts.map(describePart).join('\n\n') || describeReplies(view);
  return said || `The agent has ended without an answer (state: ${state}).`;
}

/** What a model and a form show of a question. */
export function describeQuestion({ prompt, choices, detail }: InputRequest): string {
  const shown = detail === undefined ? '' : `\n${JSON.stringify(detail, undefined, 2)}`;
  return `${prompt}${choices ? ` (${choices.join(', ')})` : ''}${shown}`;
}

/** A call has one message, so several questions are asked one after the other. */
function describeFirst({ requests: [first, ...others] }: RunView): string {
  const asked = first ? describeForModel(first) : '';
  if (others.length === 0) return asked;
  return `${asked}\n\nThe answer is for this question. ${others.length === 1 ? 'Another one follows' : `${others.length} others follow`}.`;
}

/** A form has fields for it. */
function describeForModel(question: InputRequest): string {
  const { choices, schema, purpose } = question;
  const asked = describeQuestion(question);
  if (purpose === 'approval') return `${asked}\n${approvalHint}`;
  if (choices || !schema || schema.type === 'string') return asked;
  return `${asked}\nThe answer is JSON of this schema: ${JSON.stringify(schema)}`;
}

const approvalHint =
  'The answer may also be JSON: {"approved": true, "arguments": {…}} uses other arguments, {"approved": false, "reason": "…"} says why not.';

function describePart({ text, data, url, filename, mediaType }: WirePart): string {
  if (text !== undefined) return text;
  if (data !== undefined) return JSON.stringify(data, undefined, 2);
  const label = [filename, mediaType].filter(Boolean).join(', ') || 'file';
  return url === undefined ? `[${label}]` : `[${label}] ${url}`;
}

/** Of an agent that says all it has to say while it works. */
const describeReplies = ({ replies }: RunView): string =>
  replies.flatMap(({ artifact, text }) => (artifact || text === undefined ? [] : [text])).join('\n\n');

const listImages = (parts: readonly WirePart[]): ContentBlock[] =>
  parts.flatMap(({ raw, mediaType = '' }) =>
    raw !== undefined && mediaType.startsWith('image/')
      ? [{ type: 'image' as const, data: raw, mimeType: mediaType }]
      : [],
  );
