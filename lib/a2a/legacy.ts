// A2A 0.3 over JSON-RPC, for clients that do not speak 1.0 yet. The SDK translates between the versions; the methods
// are the same. Loaded with the first request of such a client, which keeps it out of the cold starts of the others.
import {
  type AgentCard,
  formatSSEEvent,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import * as z from 'zod';
import type { Answer } from '#lib/http/answer.ts';
import { toLegacyCard } from '#lib/registry/card/legacy-card.ts';
import { hostedUrl } from '#lib/registry/card/published-card.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';
import { type A2ARequest, toAnswer } from './binding.ts';
import { A2ARefusal, errorResponse, type JsonRpcId } from './errors.ts';
import { jsonRpcBinding } from './json-rpc.ts';
import { legacyParams } from './legacy-params.ts';
import { callMethod, type Outcome } from './methods.ts';
import type { CallContext } from './own-task.ts';
import { parseBody, parseParams, parseRequest, readId } from './request.ts';

/** Throws only errors that are not part of the protocol. */
export async function serveLegacy(client: CallContext, request: A2ARequest): Promise<Answer<never>> {
  const context = { ...client, version: '0.3' } as const;
  let id: JsonRpcId = null;
  try {
    const value = parseBody(request.rawBody);
    id = readId(value);
    const call = parseRequest(value);
    const params = parseParams(legacyParams(call.method), call.params);
    const outcome = await callLegacyMethod(context, id, { ...call, params });
    // The SDK has put the results into envelopes.
    return await toAnswer(outcome, { ...jsonRpcBinding(id), result: (result) => result }, context, request);
  } catch (error) {
    const answer =
      error instanceof A2ARefusal
        ? errorResponse(id, error)
        : error instanceof JsonRpcTransportError && error.errorResponse;
    if (!answer) throw error;
    return toErrorAnswer(answer, request);
  }
}

/** The clients of 0.3 that ask for a stream read an error only if it is its event. */
function toErrorAnswer(answer: unknown, { headers }: A2ARequest): Answer<never> {
  if (!headers.accept?.includes('text/event-stream'))
    return { text: JSON.stringify(answer), contentType: 'application/json' };
  return { text: formatSSEEvent(answer), contentType: 'text/event-stream' };
}

/** Resolves when the method has begun, so that errors that prevent it are answered before a stream begins. */
async function callLegacyMethod(context: CallContext, id: JsonRpcId, body: LegacyCall): Promise<Outcome> {
  if (body.method === 'agent/getAuthenticatedExtendedCard') return await readExtendedCard(context, id);
  const begun = Promise.withResolvers<void>();
  const call: Call = async (name, params) => {
    try {
      const outcome = await callMethod(context, name, params);
      begun.resolve();
      return outcome;
    } catch (error) {
      if (error instanceof A2ARefusal) throw toLegacyError(id, error);
      begun.reject(error);
      throw error;
    }
  };
  const handler = new LegacyJsonRpcTransportHandler(toRequestHandler(context, id, call));
  const handling = handler.handle(body, new ServerCallContext());
  const answer = await Promise.race([begun.promise, handling]);
  if (answer === undefined || !(Symbol.asyncIterator in answer)) return { later: once(handling) };
  // The method begins with the first event of the generator.
  const first = await answer.next();
  return { stream: continueStream(first, answer, body.method === 'message/stream') };
}

interface LegacyCall extends Record<string, unknown> {
  readonly method: string;
}

async function readExtendedCard(context: CallContext, id: JsonRpcId): Promise<Outcome> {
  const outcome = await callMethod(context, 'GetExtendedAgentCard', {});
  if (!('result' in outcome)) throw new A2ARefusal('INTERNAL_ERROR');
  const url = `${hostedUrl(context.row, context.status)}v0.3`;
  return { result: { jsonrpc: '2.0', id, result: toLegacyCard(agentCard.parse(outcome.result), url) } };
}

/** Calls a method of 1.0 with parameters in ProtoJSON. */
type Call = (name: string, params: unknown) => Promise<Outcome>;

/** The SDK passes its error to the client unchanged. */
const toLegacyError = (id: JsonRpcId, refusal: A2ARefusal) =>
  new JsonRpcTransportError(errorResponse(id, refusal));

async function* once(answer: Promise<unknown>): AsyncGenerator<unknown> {
  yield await answer;
}

async function* continueStream(
  first: IteratorResult<unknown>,
  others: AsyncGenerator<unknown>,
  endsAtQuestion: boolean,
): AsyncGenerator<unknown> {
  const finish = endsAtQuestion ? markQuestion : (event: unknown) => event;
  try {
    if (!first.done) yield finish(first.value);
    for await (const event of others) yield finish(event);
  } finally {
    await others.return(undefined);
  }
}

const question = z.looseObject({
  result: z.looseObject({
    kind: z.literal('status-update'),
    status: z.looseObject({ state: z.literal('input-required') }),
  }),
});

/**
 * In 0.3 `final` marks the last event of a stream, which a question is in that of a message. The SDK sets it only for
 * tasks that have ended.
 */
function markQuestion(event: unknown): unknown {
  const asked = question.safeParse(event).data;
  return asked ? { ...asked, result: { ...asked.result, final: true } } : event;
}

/** The methods of 1.0 in the types of the SDK. */
function toRequestHandler(context: CallContext, id: JsonRpcId, call: Call): A2ARequestHandler {
  /** The only result of a method; the texts of unexpected errors are not shown. */
  const readResult = async (name: string, params: unknown): Promise<unknown> => {
    const outcome = await call(name, params);
    if ('result' in outcome) return outcome.result;
    try {
      for await (const result of 'later' in outcome ? outcome.later : outcome.stream) return result;
      return undefined;
    } catch (error) {
      context.log.error('call failed', { reason: error instanceof Error ? error.message : 'unknown' });
      throw toLegacyError(id, new A2ARefusal('INTERNAL_ERROR'));
    }
  };
  async function* readStream(name: string, params: unknown) {
    const outcome = await call(name, params);
    if (!('stream' in outcome)) return;
    for await (const result of outcome.stream) yield StreamResponse.fromJSON(result);
  }
  const refuse = async () => {
    throw toLegacyError(id, new A2ARefusal('METHOD_NOT_FOUND'));
  };
  const readConfig = async (name: string, params: object) =>
    toPushConfig(pushConfig.parse(await readResult(name, omitEmpty(params))));
  return {
    getAgentCard: async () => streamingCard,
    getAuthenticatedExtendedAgentCard: refuse,
    sendMessage: async (params) => {
      const result = await readResult('SendMessage', SendMessageRequest.toJSON(params));
      const { task, message } = sendMessageResult.parse(result);
      return task === undefined ? Message.fromJSON(message) : Task.fromJSON(task);
    },
    sendMessageStream: (params) => readStream('SendStreamingMessage', SendMessageRequest.toJSON(params)),
    getTask: async (params) => Task.fromJSON(await readResult('GetTask', params)),
    listTasks: refuse,
    cancelTask: async (params) => Task.fromJSON(await readResult('CancelTask', params)),
    resubscribe: (params) => readStream('SubscribeToTask', params),
    createTaskPushNotificationConfig: (params) => readConfig('CreateTaskPushNotificationConfig', params),
    getTaskPushNotificationConfig: (params) => readConfig('GetTaskPushNotificationConfig', params),
    listTaskPushNotificationConfigs: async ({ taskId }) => {
      const result = await readResult('ListTaskPushNotificationConfigs', { taskId });
      const { configs, nextPageToken } = pushConfigs.parse(result);
      return { configs: configs.map(toPushConfig), nextPageToken };
    },
    deleteTaskPushNotificationConfig: async (params) => {
      await readResult('DeleteTaskPushNotificationConfig', omitEmpty(params));
    },
  };
}

// The codecs of the SDK for the following types would be part of every cold start, because a codec that two chunks
// share is in the first one.

/** All that the SDK reads of the card. */
const streamingCard: AgentCard = {
  name: '',
  description: '',
  supportedInterfaces: [],
  provider: undefined,
  version: '',
  capabilities: { streaming: true, pushNotifications: true, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
  signatures: [],
};

/** Members that are absent in ProtoJSON are empty in the types of the SDK. */
const omitEmpty = (params: object): object =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== '' && value !== undefined));

const pushConfig = z.looseObject({
  taskId: z.string(),
  url: z.string(),
  id: z.string().default(''),
  token: z.string().default(''),
  authentication: z
    .looseObject({ scheme: z.string().default(''), credentials: z.string().default('') })
    .optional(),
});
const pushConfigs = z.looseObject({
  configs: z.array(pushConfig).default([]),
  nextPageToken: z.string().default(''),
});

const toPushConfig = ({ taskId, url, id, token, authentication }: z.infer<typeof pushConfig>) => ({
  tenant: '',
  taskId,
  url,
  id,
  token,
  authentication,
});

const sendMessageResult = z.looseObject({ task: z.unknown().optional(), message: z.unknown().optional() });
