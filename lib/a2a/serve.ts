// Serves one JSON-RPC request to an agent (A2A v1.0.1 §9): finds the method, calls it, and wraps its result
// or error in a response object.
import type * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { readCard } from '#lib/registry/published-card.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { truncate } from '#lib/truncate.ts';
import { type A2AErrorName, A2ARefusal, errorResponse, type JsonRpcId } from './errors.ts';
import { type CallContext, cancelTask, getTask } from './own-task.ts';
import {
  cancelTaskParams,
  getTaskParams,
  listTasksParams,
  type Part,
  type SendMessageParams,
  sendMessageParams,
  subscribeToTaskParams,
} from './params.ts';
import { mediaTypeName } from './parts.ts';
import { parseBody, parseParams, parseRequest, readId, requireVersion } from './request.ts';
import { sendMessage } from './send-message.ts';
import { sendStreamingMessage, subscribeToTask } from './stream-task.ts';

export type A2AAnswer =
  | { readonly json: object }
  /** One response, when it is complete. */
  | { readonly later: AsyncIterable<object> }
  | {
      readonly events: AsyncIterable<object>;
      /** The last event for a caller whose key was revoked or has expired. */
      readonly refusal: object;
    };

/** The result of a method: there at once, to wait for, or a stream of results. */
type Outcome =
  | { readonly result: unknown }
  | { readonly later: AsyncIterable<unknown> }
  | { readonly stream: AsyncIterable<unknown> };
type Method = (context: CallContext, params: unknown) => Promise<Outcome>;

const method =
  <S extends z.ZodType>(
    schema: S,
    call: (context: CallContext, params: z.output<S>) => Promise<Outcome>,
  ): Method =>
  async (context, params) =>
    await call(context, parseParams(schema, params));

const methods = new Map<string, Method>([
  [
    'SendMessage',
    method(sendMessageParams, async (context, params) => {
      requireAcceptable(context, params);
      return { later: await sendMessage(context, params) };
    }),
  ],
  [
    'SendStreamingMessage',
    method(sendMessageParams, async (context, params) => {
      requireAcceptable(context, params);
      return { stream: await sendStreamingMessage(context, params) };
    }),
  ],
  [
    'GetTask',
    method(getTaskParams, async (context, { id, historyLength }) => ({
      result: await getTask(context, id, historyLength),
    })),
  ],
  [
    'ListTasks',
    method(listTasksParams, async (context, params) => {
      // Loaded here, because most clients never list tasks.
      const { listTasks } = await import('./list-tasks.ts');
      return { result: await listTasks(context, params) };
    }),
  ],
  [
    'SubscribeToTask',
    method(subscribeToTaskParams, async (context, { id }) => ({
      stream: await subscribeToTask(context, id),
    })),
  ],
  [
    'CancelTask',
    method(cancelTaskParams, async (context, { id }) => ({
      result: await cancelTask(context, id),
    })),
  ],
]);

function requireAcceptable({ row }: CallContext, { message, configuration }: SendMessageParams): void {
  requireSupportedContent(row, message.parts);
  if (configuration?.taskPushNotificationConfig !== undefined)
    throw new A2ARefusal('PUSH_NOTIFICATION_NOT_SUPPORTED');
}

/** Accepts text and JSON always, and files of the input modes on the agent's card. */
function requireSupportedContent(row: StoredRow, parts: readonly Part[]): void {
  const files = parts.filter((part) => part.raw !== undefined || part.url !== undefined);
  if (files.length === 0) return;
  const card = readCard(row);
  const modes = new Set(
    [...card.defaultInputModes, ...card.skills.flatMap((skill) => skill.inputModes ?? [])].map(mediaTypeName),
  );
  const refused = files.find(({ mediaType = '' }) => !modes.has(mediaTypeName(mediaType)));
  if (!refused) return;
  const { mediaType = 'no media type' } = refused;
  throw new A2ARefusal(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `The agent accepts ${[...modes].join(', ')}, not ${truncate(mediaType, 127)}.`,
  );
}

/**
 * Methods of A2A v1.0 that the Agent Card does not offer, with the error that the specification has for each.
 */
const unsupported = new Map<string, A2AErrorName>([
  ['CreateTaskPushNotificationConfig', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['GetTaskPushNotificationConfig', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['ListTaskPushNotificationConfigs', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['DeleteTaskPushNotificationConfig', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['GetExtendedAgentCard', 'UNSUPPORTED_OPERATION'],
]);

/** Throws only errors that are not part of the protocol, such as a table that does not respond. */
export async function serveJsonRpc(
  context: CallContext,
  body: string,
  version: string | undefined,
): Promise<A2AAnswer> {
  let id: JsonRpcId = null;
  try {
    const value = parseBody(body);
    id = readId(value);
    const request = parseRequest(value);
    requireVersion(version);
    const outcome = await findMethod(request.method)(context, request.params);
    if ('stream' in outcome)
      return {
        events: wrapResults(id, outcome.stream, context),
        refusal: errorResponse(id, new A2ARefusal('INVALID_REQUEST', keyRefused)),
      };
    if ('later' in outcome) return { later: wrapResults(id, outcome.later, context) };
    return { json: { jsonrpc: '2.0', id, result: outcome.result } };
  } catch (error) {
    return { json: errorResponse(id, toRefusal(error)) };
  }
}

/** Authentication is part of HTTP, but its status has been sent by then. */
const keyRefused = 'The API key was revoked or has expired.';

async function* wrapResults(
  id: JsonRpcId,
  stream: AsyncIterable<unknown>,
  { log }: CallContext,
): AsyncGenerator<object> {
  try {
    for await (const result of stream) yield { jsonrpc: '2.0', id, result };
  } catch (error) {
    log.error('stream failed', {
      reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
    });
    yield errorResponse(id, new A2ARefusal('INTERNAL_ERROR'));
  }
}

function findMethod(name: string): Method {
  const known = methods.get(name);
  if (known) return known;
  const reason = unsupported.get(name);
  if (reason)
    throw new A2ARefusal(
      reason,
      reason === 'UNSUPPORTED_OPERATION' ? `The agent does not support ${name}.` : undefined,
    );
  throw new A2ARefusal('METHOD_NOT_FOUND', `There is no method ${truncate(name, 64)}.`);
}

function toRefusal(error: unknown): A2ARefusal {
  if (error instanceof A2ARefusal) return error;
  if (error instanceof ServiceError || isTransientFailure(error)) throw error;
  throw new ServiceError('internal', { cause: error });
}
