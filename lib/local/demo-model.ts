// A small OpenAI-compatible server on loopback with one model, `demo-scripted`, that follows fixed rules (`demo-script.ts`). It stands where a
// real provider stands, so that the demo goes through the real model port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import type { ModelCatalog } from '#lib/model/catalog.ts';
import { demoModelId, scriptedAnswer } from './demo-script.ts';
import { scriptedToolCall } from './demo-tools.ts';

interface DemoModel {
  /** The `base_url` of the model: ends in `/v1`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** What a catalog of models says of it. */
export const demoModels = (url: string): ModelCatalog => ({
  [demoModelId]: { provider: 'openai-compatible', base_url: url, model: demoModelId },
});

/** Port 0 takes any free one. */
export async function startDemoModel(port = 0): Promise<DemoModel> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The demo model has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const said = await route(request).catch(() => refusal(400, 'The request could not be read.'));
  if ('events' in said) {
    const events = [...said.events.map((event) => JSON.stringify(event)), '[DONE]'];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `data: ${event}\n\n`).join(''));
    return;
  }
  response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
}

type Said =
  | { readonly status: number; readonly body: object }
  /** For who wants to hear the answer as it comes. */
  | { readonly events: readonly object[] };

async function route(request: IncomingMessage): Promise<Said> {
  switch (`${request.method} ${request.url}`) {
    case 'GET /v1/models':
      return {
        status: 200,
        body: { object: 'list', data: [{ id: demoModelId, object: 'model', owned_by: 'demo' }] },
      };
    case 'POST /v1/chat/completions':
      return completion(await readText(request));
    default:
      return refusal(404, 'Only GET /v1/models and POST /v1/chat/completions are here.');
  }
}

const contentSchema = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join('\n')),
  // Beside the calls of tools.
  z.null().transform(() => ''),
]);

const requestSchema = z.object({
  model: z.literal(demoModelId),
  messages: z
    .array(
      z.object({
        role: z.string(),
        content: contentSchema.default(''),
        tool_calls: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
      }),
    )
    .min(1),
  tools: z
    .array(z.object({ function: z.object({ name: z.string(), parameters: z.record(z.string(), z.json()) }) }))
    .default([]),
  response_format: z
    .object({ json_schema: z.object({ schema: z.record(z.string(), z.json()) }).optional() })
    .optional(),
  stream: z.boolean().optional(),
});

type Asked = z.infer<typeof requestSchema>;

function completion(body: string): Said {
  const parsed = requestSchema.safeParse(JSON.parse(body));
  if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
  const { messages, response_format, stream } = parsed.data;
  const said = messageFor(parsed.data, response_format?.json_schema?.schema);
  const prompt_tokens = tokensIn(messages.map((message) => message.content).join('\n'));
  const completion_tokens = tokensIn(said.content ?? JSON.stringify(said.tool_calls));
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  if (stream) return { events: eventsOf(said, usage) };
  const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: finishOf(said) }];
  return { status: 200, body: { ...envelope, object: 'chat.completion', choices, usage } };
}

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
}

/** After a tool, its result is what there is to say. */
function messageFor({ messages, tools }: Asked, schema: JsonObject | undefined): Message {
  const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const used = messages.flatMap(({ tool_calls }) => tool_calls.map((call) => call.function.name));
  const call = scriptedToolCall(
    prompt,
    tools.map((tool) => tool.function),
    new Set(used),
  );
  if (call)
    return {
      content: null,
      tool_calls: [{ index: 0, id: `call-${used.length}`, type: 'function', function: call }],
    };
  const last = messages.at(-1);
  const result = !schema && last?.role === 'tool' ? last.content : undefined;
  return { content: scriptedAnswer(result ?? prompt, schema) };
}

const finishOf = ({ tool_calls }: Message) => (tool_calls ? 'tool_calls' : 'stop');

const envelope = { id: 'chatcmpl-demo', created: 0, model: demoModelId };

/** Text word by word, a call of a tool at once. */
function eventsOf(said: Message, usage: object): object[] {
  const chunk = { ...envelope, object: 'chat.completion.chunk' };
  const words = said.content?.match(/\S+\s*|\s+/g) ?? [];
  const deltas = said.tool_calls ? [said] : words.map((word) => ({ content: word }));
  const pieces = deltas.map((delta) => ({
    ...chunk,
    choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }],
  }));
  const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finishOf(said) }], usage };
  return [...pieces, last];
}

/** The rule of thumb: four characters to a token. */
const tokensIn = (text: string) => Math.ceil(text.length / 4);

const refusal = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});
