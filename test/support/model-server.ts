// A model over HTTP on loopback that gives scripted turns in order, by the API of an OpenAI-compatible provider and by
// that of Bedrock, whole and streamed. Tests use it with the real model port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { encodeEventStreamMessage } from '@copilotkit/aimock';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject }[];
  /** Ends at `max_tokens`. */
  readonly isCut?: boolean;
  /** The provider's own name for why the model stopped. */
  readonly stopReason?: string;
  /** What a guardrail of Bedrock reports. */
  readonly trace?: JsonObject;
  readonly tokens?: { readonly input: number; readonly output: number };
  /** Part of the input. */
  readonly cached?: number;
  readonly written?: number;
  /** The OpenAI-compatible API answers with a whole completion, also where a stream was asked for. */
  readonly ignoresStream?: boolean;
  /** The answer is an error instead. */
  readonly refusal?: { readonly status: number; readonly body: Json };
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** Bodies of the requests so far. */
  readonly asked: JsonObject[];
}

/** A request after the last turn is answered with status 500. */
export async function startModelServer(...turns: readonly ScriptedTurn[]): Promise<ModelServer> {
  const asked: JsonObject[] = [];
  const left = [...turns];
  const server = createServer((request, response) => {
    const done = answer(request, response, { asked, left });
    done.catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const url = await listen(server, 0);
  return { url, host: new URL(url).host, asked, [Symbol.asyncDispose]: () => closeServer(server) };
}

interface Script {
  readonly asked: JsonObject[];
  readonly left: ScriptedTurn[];
}

async function answer(request: IncomingMessage, response: ServerResponse, { asked, left }: Script) {
  const body = await readJson(request);
  if (!isJsonObject(body)) throw new Error('The request is no object.');
  asked.push(body);
  const turn = left.shift();
  if (!turn) throw new Error('The script has no further turn.');
  const path = request.url ?? '';
  if (turn.refusal) sendJson(response.writeHead(turn.refusal.status, jsonType), turn.refusal.body);
  else if (path.endsWith('/converse')) sendJson(response.writeHead(200, jsonType), toConverse(turn));
  else if (path.endsWith('/converse-stream'))
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).end(toFrames(turn));
  else if (body.stream === true && !turn.ignoresStream)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toEvents(turn));
  else sendJson(response.writeHead(200, jsonType), toCompletion(turn));
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && isObject(value as Json);

const jsonType = { 'content-type': 'application/json' };

const sendJson = (response: ServerResponse, body: Json) => void response.end(JSON.stringify(body));

const callId = (index: number) => `call_${index}`;

function toConverse(turn: ScriptedTurn): JsonObject {
  return {
    output: { message: { role: 'assistant', content: toBlocks(turn) } },
    stopReason: toStopReason(turn),
    usage: toBedrockUsage(turn),
    ...(turn.trace && { trace: turn.trace }),
  };
}

const toBlocks = ({ text, calls = [] }: ScriptedTurn): JsonObject[] => [
  ...(text === undefined ? [] : [{ text }]),
  ...calls.map(({ name, args }, index) => ({ toolUse: { toolUseId: callId(index), name, input: args } })),
];

function toFrames(turn: ScriptedTurn): Buffer {
  const { text, calls = [] } = turn;
  return Buffer.concat([
    encodeEventStreamMessage('messageStart', { role: 'assistant' }),
    ...(text === undefined ? [] : [...toBlockFrames(calls.length, { text })]),
    ...calls.flatMap(({ name, args }, index) => [
      encodeEventStreamMessage('contentBlockStart', {
        contentBlockIndex: index,
        start: { toolUse: { toolUseId: callId(index), name } },
      }),
      ...toBlockFrames(index, { toolUse: { input: JSON.stringify(args) } }),
    ]),
    encodeEventStreamMessage('messageStop', { stopReason: toStopReason(turn) }),
    encodeEventStreamMessage('metadata', {
      usage: toBedrockUsage(turn),
      ...(turn.trace && { trace: turn.trace }),
    }),
  ]);
}

const toBlockFrames = (contentBlockIndex: number, delta: JsonObject): readonly Buffer[] => [
  encodeEventStreamMessage('contentBlockDelta', { contentBlockIndex, delta }),
  encodeEventStreamMessage('contentBlockStop', { contentBlockIndex }),
];

function toStopReason({ stopReason, isCut, calls }: ScriptedTurn): string {
  if (stopReason !== undefined) return stopReason;
  if (isCut) return 'max_tokens';
  return calls ? 'tool_use' : 'end_turn';
}

/** Bedrock counts what was read from the cache, and written to it, apart from the rest of the input. */
function toBedrockUsage({ tokens = defaultTokens, cached = 0, written = 0 }: ScriptedTurn): JsonObject {
  return {
    inputTokens: tokens.input - cached - written,
    outputTokens: tokens.output,
    totalTokens: tokens.input + tokens.output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: written,
  };
}

const defaultTokens = { input: 20, output: 4 };

function toCompletion(turn: ScriptedTurn): JsonObject {
  const { text = null } = turn;
  const message = { role: 'assistant', content: text, ...toToolCalls(turn) };
  return {
    choices: [{ index: 0, message, finish_reason: toFinishReason(turn) }],
    usage: toOpenAiUsage(turn),
  };
}

const toToolCalls = ({ calls }: ScriptedTurn): JsonObject =>
  calls
    ? {
        tool_calls: calls.map(({ name, args }, index) => ({
          index,
          id: callId(index),
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      }
    : {};

function toEvents(turn: ScriptedTurn): string {
  const text = turn.text ?? '';
  const pieces = [text.slice(0, text.length / 2), text.slice(text.length / 2)];
  const chunk = (choice: JsonObject, more: JsonObject = {}) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  return [
    ...pieces.map((content) => chunk({ delta: { content }, finish_reason: null })),
    chunk({ delta: toToolCalls(turn), finish_reason: null }),
    chunk({ delta: {}, finish_reason: toFinishReason(turn) }, { usage: toOpenAiUsage(turn) }),
    'data: [DONE]\n\n',
  ].join('');
}

function toFinishReason({ stopReason, isCut, calls }: ScriptedTurn): string {
  if (stopReason !== undefined) return stopReason;
  if (isCut) return 'length';
  return calls ? 'tool_calls' : 'stop';
}

function toOpenAiUsage({ tokens = defaultTokens, cached }: ScriptedTurn): JsonObject {
  return {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  };
}
