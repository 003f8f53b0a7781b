// An OpenAI-compatible model on loopback that streams what a test scripts, chunk by chunk and when the test
// says so. Tests use it to see what callers receive while a model is still streaming. A request for an answer that is
// not streamed, such as an object, gets it at its end. `model-script.ts` is the test's side.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface ScriptedModel {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** US dollars per million tokens. */
export const scriptedPrice = { input: 3, output: 15 };

/** How an answer ends, and what the provider charges for it. */
const answerEnd = z.strictObject({
  reason: z.enum(['stop', 'length', 'content_filter']).default('stop'),
  tokens: z.strictObject({ input: z.int(), output: z.int() }).default({ input: 1, output: 1 }),
});
export type AnswerEnd = z.input<typeof answerEnd>;
type ChargedEnd = z.infer<typeof answerEnd>;

/** What to write in a call, or how to end it. */
export const scriptedStep = z.union([
  z.strictObject({ say: z.string() }),
  /** Calls a tool, with arguments as the model writes them. */
  z.strictObject({ call: z.string(), arguments: z.string() }),
  answerEnd.extend({ end: z.literal('whole') }),
  /** The line goes dead in the middle of the answer. */
  z.strictObject({ end: z.literal('broken') }),
]);
export type ScriptedStep = z.input<typeof scriptedStep>;

/** In the prompt. */
const namePattern = /script_\w+/;
const asked = z.looseObject({
  messages: z.array(z.looseObject({ content: z.unknown() })),
  stream: z.boolean().default(false),
});

/** A call of the model: what it was asked, and where it writes its answer. */
interface ModelCall {
  readonly body: unknown;
  readonly response: ServerResponse;
  /** The text so far of an answer that is not streamed. */
  readonly whole?: string[];
}

type Calls = Map<string, PromiseWithResolvers<ModelCall>>;

export async function startScriptedModel(): Promise<ScriptedModel> {
  const calls: Calls = new Map();
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const isCall = request.url === '/v1/chat/completions';
    const done = isCall ? begin(request, response, calls, counts) : writeStep(request, response, calls);
    done.catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  return { url: await listen(server, 0), close: () => closeServer(server) };
}

const pendingCall = (calls: Calls, place: string) => {
  const known = calls.get(place) ?? Promise.withResolvers<ModelCall>();
  calls.set(place, known);
  return known;
};

/** A model is asked: it waits for what it is to write. */
async function begin(
  request: IncomingMessage,
  response: ServerResponse,
  calls: Calls,
  counts: Map<string, number>,
): Promise<void> {
  const body = asked.parse(await readJson(request));
  const { messages, stream } = body;
  // The last message of an agent is the result of a tool.
  const [name = ''] = [messages.at(-1), messages].flatMap(
    (one) => namePattern.exec(JSON.stringify(one)) ?? [],
  );
  const n = (counts.get(name) ?? 0) + 1;
  counts.set(name, n);
  // Who asked may have left when there is something to write.
  response.on('error', () => undefined);
  response
    .writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    .flushHeaders();
  pendingCall(calls, `/${name}/${n}`).resolve({ body, response, ...(!stream && { whole: [] }) });
}

/**
 * `POST /{name}/{n}`: in the n-th call of that name, as soon as it is there. Answers once it is written, with what the
 * model was asked.
 */
async function writeStep(request: IncomingMessage, response: ServerResponse, calls: Calls): Promise<void> {
  const what = scriptedStep.parse(await readJson(request));
  const { body, response: answer, whole } = await pendingCall(calls, request.url ?? '').promise;
  if ('say' in what && whole) whole.push(what.say);
  else if ('say' in what) answer.write(toChunk({ role: 'assistant', content: what.say }));
  else if ('call' in what) answer.write(toChunk({ role: 'assistant', tool_calls: [toToolCall(what)] }));
  else if (what.end === 'broken') answer.destroy();
  else answer.end(whole ? toCompletion(whole.join(''), what) : `${toChunk({}, what)}data: [DONE]\n\n`);
  response.end(JSON.stringify(body));
}

const toToolCall = ({
  call: name,
  arguments: args,
}: {
  readonly call: string;
  readonly arguments: string;
}) => ({
  index: 0,
  id: `call_${name}`,
  type: 'function',
  function: { name, arguments: args },
});

function toChunk(delta: object, end?: ChargedEnd): string {
  const choices = [{ index: 0, delta, finish_reason: end?.reason ?? null }];
  const chunk = { ...envelope('chat.completion.chunk'), choices, ...(end && toUsage(end)) };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function toCompletion(content: string, end: ChargedEnd): string {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: end.reason }];
  return JSON.stringify({ ...envelope('chat.completion'), choices, ...toUsage(end) });
}

const envelope = (object: string) => ({ id: 'chatcmpl-1', object, created: 0, model: 'scripted' });

const toUsage = ({ tokens: { input, output } }: ChargedEnd) => ({
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
});
