// The schemas of what A2A clients send. The codecs of the SDK accept much that the specification forbids.
// ProtoJSON (A2A v1.0.1 §5.5, https://protobuf.dev/programming-guides/json): member names may be in camelCase or
// in the snake_case of the proto, unknown members are ignored, null means that a member is absent, bytes are
// base64 of either alphabet with or without padding, and an int32 may be a string.
import { TaskState, taskStateFromJSON } from '@a2a-js/sdk';
import * as z from 'zod';
import { type Json, json, jsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { callbackUrl } from '#lib/run/callback-url.ts';
import { secret } from '#lib/secret.ts';
import { webUrl } from '#lib/web-url.ts';

const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** An object whose own member names may be in snake_case; values keep theirs. Built when a request needs it. */
const protoObject = <S extends z.ZodRawShape>(readShape: () => S) =>
  z.lazy(() =>
    z.preprocess(
      (value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(readMembers(value))
          : value,
      z.object(readShape()),
    ),
  );

const contents = ['text', 'raw', 'url', 'data'] as const;

/** The members that are present. `data` may be any JSON value, so a part that has only `data: null` contains null. */
function readMembers(value: object): [string, unknown][] {
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [camel(key), member]);
  const present = members.filter(([, member]) => member !== null);
  const hasContent = present.some(([key]) => contents.some((name) => name === key));
  return hasContent ? present : members.filter(([key, member]) => member !== null || key === 'data');
}

/** Bytes, in the alphabet and with the padding of RFC 4648 §4. */
const bytes = z
  .string()
  .transform((text) => {
    const digits = text
      .replaceAll('-', '+')
      .replaceAll('_', '/')
      .replace(/={1,2}$/, '');
    return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=');
  })
  .pipe(z.base64({ error: 'must be base64' }));

const id = z.string().min(1).max(256);

/** A string that is empty is absent, as the field has no presence in the proto. */
const optionalText = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const part = protoObject(() => ({
  text: z.string().optional(),
  raw: bytes.optional(),
  url: webUrl({ error: 'must be a URL' }).optional(),
  data: json.optional(),
  mediaType: z.string().max(127).optional(),
  filename: z.string().max(1024).optional(),
  metadata: jsonObject.optional(),
})).refine(
  (value) => contents.filter((name) => value[name] !== undefined).length === 1,
  'must have exactly one of text, raw, url and data',
);
export type Part = z.infer<typeof part>;

const message = protoObject(() => ({
  messageId: id,
  contextId: optionalText(id),
  taskId: optionalText(id),
  role: z.literal(['ROLE_USER', 1], { error: 'must be "ROLE_USER"' }).transform(() => 'ROLE_USER' as const),
  // Counted before each part is checked, so that too many invalid parts are one mistake.
  parts: z
    .array(z.unknown())
    .min(1, 'must have at least one part')
    .max(100, 'must have at most 100 parts')
    .pipe(z.array(part)),
  metadata: jsonObject.optional(),
  extensions: z.array(z.string()).max(50).optional(),
  referenceTaskIds: z.array(id).max(50).optional(),
}));
export type IncomingMessage = z.infer<typeof message>;

const int32Max = 2 ** 31 - 1;

/** An int32 may be a string, and have an exponent in both forms. */
const decimalNumber = /^-?\d{1,10}(\.\d{1,10})?(e[+-]?\d{1,2})?$/i;

const int32 = (min: number, max: number) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && decimalNumber.test(value) ? Number(value) : value),
      z.int().min(min).max(max),
    )
    .optional();

const historyLength = int32(0, int32Max);

/** What may be in a header: no line break, and nothing that a receiver would trim or decode (RFC 9110 §5.5). */
const headerText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, {
      error: 'must be printable ASCII, without line breaks and without spaces around it',
    })
    .transform((text) => secret(text));

/** As a part of a path of the HTTP+JSON binding too. */
const configId = z.string().regex(/^[\w.~-]{1,128}$/, {
  error: 'must be 1 to 128 letters, digits, ".", "_", "~" or "-"',
});

const pushConfig = lazy(() => ({
  id: optionalText(configId),
  url: callbackUrl,
  token: optionalText(headerText(1_024)),
  authentication: protoObject(() => ({
    scheme: z
      .string()
      .max(64)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, {
        error: 'must be the name of an HTTP authentication scheme, such as "Bearer"',
      }),
    credentials: optionalText(headerText(4_096)),
  })).optional(),
}));

export const createPushConfigParams = protoObject(() => ({ ...pushConfig(), taskId: id }));
export type PushConfigParams = Omit<z.infer<typeof createPushConfigParams>, 'taskId'>;

/** Of one configuration. */
export const pushConfigParams = protoObject(() => ({ taskId: id, id: configId }));

export const listPushConfigsParams = protoObject(() => ({
  taskId: id,
  pageSize: int32(0, 100),
  pageToken: optionalText(z.string().max(1_024)),
}));

const misplaced = z.undefined({ error: 'belongs in params.message' }).optional();

export const sendMessageParams = protoObject(() => ({
  message,
  configuration: protoObject(() => ({
    acceptedOutputModes: z.array(z.string()).max(50, 'must have at most 50 modes').optional(),
    historyLength,
    returnImmediately: z.boolean().optional(),
    taskPushNotificationConfig: protoObject(() => ({ ...pushConfig(), taskId: optionalText(id) })).optional(),
  })).optional(),
  metadata: jsonObject.optional(),
  // Unknown members are ignored, but these would silently start another task.
  taskId: misplaced,
  contextId: misplaced,
}));
export type SendMessageParams = z.infer<typeof sendMessageParams>;

export const getTaskParams = protoObject(() => ({ id, historyLength }));

export const listTasksParams = protoObject(() => ({
  contextId: optionalText(z.string().max(256)),
  status: z
    .union([z.string(), z.number()], { error: 'must be the name of a state' })
    .transform(taskStateFromJSON)
    .refine((state) => state !== TaskState.UNRECOGNIZED, 'must be a state, such as TASK_STATE_WORKING')
    .transform((state) => (state === TaskState.TASK_STATE_UNSPECIFIED ? undefined : state))
    .optional(),
  pageSize: int32(1, 100),
  pageToken: optionalText(z.string().max(2_048)),
  historyLength,
  statusTimestampAfter: z.iso
    .datetime({ offset: true, error: 'must be a time, such as 2026-11-21T09:00:00Z' })
    .optional(),
  includeArtifacts: z.boolean().optional(),
}));
export type ListTasksParams = z.output<typeof listTasksParams>;

/** `historyLength` is not in the specification: a client that subscribes again may know the history. */
export const subscribeToTaskParams = protoObject(() => ({ id, historyLength }));
export const cancelTaskParams = protoObject(() => ({ id, metadata: jsonObject.optional() }));
export const extendedCardParams = protoObject(() => ({}));

/**
 * Required. JSON-RPC has notifications, requests without id, but A2A has none (§9.3): a client without a
 * response would not learn the id of the task it started.
 */
export const requestId = z.union([z.string().max(1024), z.number(), z.null()], {
  error: 'is required: a string of at most 1,024 characters, a number or null',
});

export const jsonRpcRequest = z.looseObject({
  jsonrpc: z.literal('2.0', { error: 'must be "2.0"' }),
  method: z.string({ error: 'must be the name of a method' }),
  id: requestId,
});

/** The texts of a message, one per line. */
export const readText = (parts: readonly Part[]): string =>
  parts.flatMap((each) => each.text ?? []).join('\n');

/** Objects in structured parts become the variables of the flow; a later part overrides an earlier one. */
export function readVariables(parts: readonly Part[]): Record<string, Json> {
  const variables: Record<string, Json> = {};
  for (const { data } of parts) {
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) Object.assign(variables, data);
  }
  return variables;
}
