// One JSON-RPC request to an agent (A2A v1.0.1 §9): envelope, version and parameters are checked, the method is called, and the answer
// or error put into its envelope.
import type * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { isDeeperThan } from '#lib/json-depth.ts';
import {
  type Conversation,
  cancelTask,
  getTask,
  sendMessage,
  sendStreamingMessage,
  subscribeToTask,
} from './agent-tasks.ts';
import { requireSupportedContent } from './content-types.ts';
import { type A2AErrorName, A2ARefusal, errorResponse, type JsonRpcId } from './errors.ts';
import {
  cancelTaskParams,
  getTaskParams,
  jsonRpcRequest,
  sendMessageParams,
  subscribeToTaskParams,
} from './params.ts';

export type A2AAnswer =
  | { readonly json: object }
  /** One answer, when it is there. */
  | { readonly later: AsyncIterable<object> }
  | { readonly events: AsyncIterable<object> };

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
      requireSupportedContent(conversation.row, params.message.parts);
      return { later: await sendMessage(conversation, params) };
    }),
  ],
  [
    'SendStreamingMessage',
    method(sendMessageParams, async (conversation, params) => {
      requireSupportedContent(conversation.row, params.message.parts);
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
    const request = parseRequest(body);
    id = request.id ?? null;
    requireVersion(version);
    const outcome = await methodOf(request.method)(conversation, request.params);
    if ('stream' in outcome) return { events: enveloped(id, outcome.stream, conversation) };
    if ('later' in outcome) return { later: enveloped(id, outcome.later, conversation) };
    return { json: { jsonrpc: '2.0', id, result: outcome.result } };
  } catch (error) {
    return { json: errorResponse(id, refusalOf(error)) };
  }
}

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

function parseRequest(body: string) {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new A2ARefusal('PARSE_ERROR');
  }
  if (isDeeperThan(value, depthMax))
    throw new A2ARefusal('INVALID_REQUEST', `The body must not be nested deeper than ${depthMax} levels.`);
  const parsed = jsonRpcRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new A2ARefusal('INVALID_REQUEST', undefined, violations('', parsed.error));
}

/** The parsers behind this one work by recursion. */
const depthMax = 100;

function methodOf(name: string): Method {
  const known = methods.get(name);
  if (known) return known;
  const reason = unsupported.get(name);
  if (reason)
    throw new A2ARefusal(
      reason,
      reason === 'UNSUPPORTED_OPERATION' ? `The agent does not support ${name}.` : undefined,
    );
  throw new A2ARefusal('METHOD_NOT_FOUND', `There is no method ${name.slice(0, 64)}.`);
}

/** An absent version means 0.3 (A2A v1.0.1 §3.6.2), which people who try by hand run into first. */
function requireVersion(version: string | undefined): void {
  if (version === '1.0') return;
  const asked = version ? version.slice(0, 16) : '0.3 (no A2A-Version header)';
  throw new A2ARefusal(
    'VERSION_NOT_SUPPORTED',
    `The agent speaks A2A 1.0, the request ${asked}. Send the header "A2A-Version: 1.0".`,
  );
}

function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  throw new A2ARefusal('INVALID_PARAMS', undefined, violations('/params', parsed.error));
}

const violationsMax = 20;
const violations = (root: string, error: z.ZodError) =>
  error.issues.slice(0, violationsMax).map((issue) => ({
    pointer: [root, ...issue.path.map(String)].join('/'),
    detail: issue.message,
  }));

function refusalOf(error: unknown): A2ARefusal {
  if (error instanceof A2ARefusal) return error;
  if (error instanceof ServiceError || isTransientFailure(error)) throw error;
  throw new ServiceError('internal', { cause: error });
}
