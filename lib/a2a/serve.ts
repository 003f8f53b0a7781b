// One JSON-RPC request to an agent (A2A v1.0.1 §9): the method is found and called, and its answer or error put into an envelope.
import type * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { truncate } from '#lib/truncate.ts';
import { cancelTask } from './cancel-task.ts';
import { requireSupportedContent } from './content-types.ts';
import { type A2AErrorName, A2ARefusal, errorResponse, type JsonRpcId } from './errors.ts';
import { getTask } from './get-task.ts';
import type { Conversation } from './own-task.ts';
import {
  cancelTaskParams,
  getTaskParams,
  type SendMessageParams,
  sendMessageParams,
  subscribeToTaskParams,
} from './params.ts';
import { idOf, parseBody, parseParams, requestIn, requireVersion } from './request.ts';
import { sendMessage } from './send-message.ts';
import { sendStreamingMessage, subscribeToTask } from './stream-task.ts';

export type A2AAnswer =
  | { readonly json: object }
  /** One answer, when it is there. */
  | { readonly later: AsyncIterable<object> }
  | {
      readonly events: AsyncIterable<object>;
      /** The last event for a caller whose key does not hold any more. */
      readonly refusal: object;
    };

/** What a method makes of its parameters: a result at once, one to wait for, or a stream of them. */
type Outcome =
  | { readonly result: unknown }
  | { readonly later: AsyncIterable<unknown> }
  | { readonly stream: AsyncIterable<unknown> };
type Method = (conversation: Conversation, params: unknown) => Promise<Outcome>;

const method =
  <S extends z.ZodType>(
    schema: S,
    call: (conversation: Conversation, params: z.output<S>) => Promise<Outcome>,
  ): Method =>
  async (conversation, params) =>
    await call(conversation, parseParams(schema, params));

const methods = new Map<string, Method>([
  [
    'SendMessage',
    method(sendMessageParams, async (conversation, params) => {
      requireTakeable(conversation, params);
      return { later: await sendMessage(conversation, params) };
    }),
  ],
  [
    'SendStreamingMessage',
    method(sendMessageParams, async (conversation, params) => {
      requireTakeable(conversation, params);
      return { stream: await sendStreamingMessage(conversation, params) };
    }),
  ],
  [
    'GetTask',
    method(getTaskParams, async (conversation, { id, historyLength }) => ({
      result: await getTask(conversation, id, historyLength),
    })),
  ],
  [
    'SubscribeToTask',
    method(subscribeToTaskParams, async (conversation, { id }) => ({
      stream: await subscribeToTask(conversation, id),
    })),
  ],
  [
    'CancelTask',
    method(cancelTaskParams, async (conversation, { id }) => ({
      result: await cancelTask(conversation, id),
    })),
  ],
]);

function requireTakeable({ row }: Conversation, { message, configuration }: SendMessageParams): void {
  requireSupportedContent(row, message.parts);
  if (configuration?.taskPushNotificationConfig !== undefined)
    throw new A2ARefusal('PUSH_NOTIFICATION_NOT_SUPPORTED');
}

/** Methods of A2A v1.0 that the Agent Card does not promise, with the error the specification has for each. */
const unsupported = new Map<string, A2AErrorName>([
  ['ListTasks', 'UNSUPPORTED_OPERATION'],
  ['CreateTaskPushNotificationConfig', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['GetTaskPushNotificationConfig', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['ListTaskPushNotificationConfigs', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['DeleteTaskPushNotificationConfig', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['GetExtendedAgentCard', 'EXTENDED_CARD_NOT_CONFIGURED'],
]);

/** Throws only what is not for the protocol to answer, such as a table that does not. */
export async function serveJsonRpc(
  conversation: Conversation,
  body: string,
  version: string | undefined,
): Promise<A2AAnswer> {
  let id: JsonRpcId = null;
  try {
    const value = parseBody(body);
    id = idOf(value);
    const request = requestIn(value);
    requireVersion(version);
    const outcome = await methodOf(request.method)(conversation, request.params);
    if ('stream' in outcome)
      return {
        events: enveloped(id, outcome.stream, conversation),
        refusal: errorResponse(id, new A2ARefusal('INVALID_REQUEST', keyRefused)),
      };
    if ('later' in outcome) return { later: enveloped(id, outcome.later, conversation) };
    return { json: { jsonrpc: '2.0', id, result: outcome.result } };
  } catch (error) {
    return { json: errorResponse(id, refusalOf(error)) };
  }
}

/** The protocol leaves authentication to HTTP, whose status is out by then. */
const keyRefused = 'The API key was revoked or has expired.';

async function* enveloped(
  id: JsonRpcId,
  stream: AsyncIterable<unknown>,
  { log }: Conversation,
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

function methodOf(name: string): Method {
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

function refusalOf(error: unknown): A2ARefusal {
  if (error instanceof A2ARefusal) return error;
  if (error instanceof ServiceError || isTransientFailure(error)) throw error;
  throw new ServiceError('internal', { cause: error });
}
