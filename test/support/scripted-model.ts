// An OpenAI-compatible model on loopback that streams what a test scripts, chunk by chunk and when the test
// says so. Tests use it to see what callers receive while a model is still streaming. `model-script.ts` is
// the test's side.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface ScriptedModel {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** What to write in a call, or how to end it. */
export const scriptedStep = z.union([
  z.strictObject({ say: z.string() }),
  /** Calls a tool, with arguments as the model writes them. */
  z.strictObject({ call: z.string(), arguments: z.string() }),
  z.strictObject({ end: z.literal('whole') }),
  /** The line goes dead in the middle of the answer. */
  z.strictObject({ end: z.literal('broken') }),
]);
export type ScriptedStep = z.infer<typeof scriptedStep>;

/** In the prompt. */
const namePattern = /script_\w+/;
const asked = z.looseObject({
  messages: z.array(z.looseObject({ content: z.unknown() })),
  stream: z.literal(true),
});

/** A call of the model: what it was asked, and where it writes its answer. */
interface ModelCall {
  readonly body: unknown;
  readonly response: ServerResponse;
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
  const { messages } = body;
  // The last message of an agent is the result of a tool.
  const [name = ''] = [messages.at(-1), messages].flatMap(
    (one) => namePattern.exec(JSON.stringify(one)) ?? [],
  );
  const n = (counts.get(name) ?? 0) + 1;
  counts.set(name, n);
  // Who asked may have left when there is something to write.
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  pendingCall(calls, `/${name}/${n}`).resolve({ body, response });
}

/**
 * `POST /{name}/{n}`: in the n-th call of that name, as soon as it is there. Answers once it is written, with what the
 * model was asked.
 */
async function writeStep(request: IncomingMessage, response: ServerResponse, calls: Calls): Promise<void> {
  const what = scriptedStep.parse(await readJson(request));
  const { body, response: answer } = await pendingCall(calls, request.url ?? '').promise;
  if ('say' in what) answer.write(toChunk({ role: 'assistant', content: what.say }, null));
  else if ('call' in what) answer.write(toChunk({ role: 'assistant', tool_calls: [toToolCall(what)] }, null));
  else if (what.end === 'broken') answer.destroy();
  else answer.end(`${toChunk({}, 'stop')}data: [DONE]\n\n`);
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

function toChunk(delta: object, finish_reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  const usage = finish_reason && { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model: 'scripted' };
  return `data: ${JSON.stringify({ ...envelope, choices, ...usage })}\n\n`;
}
