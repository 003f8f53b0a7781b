// A small OpenAI-compatible server on loopback with one model, `demo-scripted`, which follows fixed rules
// (`demo-script.ts`). The demo reaches it through the real model port, like a provider.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import type { ModelCatalog } from '#lib/model/catalog.ts';
import { demoModelId, scriptedAnswer, scriptedToolCall } from './demo-script.ts';

interface DemoModel {
  /** The `base_url` of the model; it ends in `/v1`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** The model catalog that contains it. */
export const demoModels = (url: string): ModelCatalog => ({
  [demoModelId]: { provider: 'openai-compatible', base_url: url, model: demoModelId },
});

/** Port 0 means any free port. */
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
  const result = await route(request).catch(() => refusal(400, 'The request could not be read.'));
  if ('events' in result) {
    const events = [...result.events.map((event) => JSON.stringify(event)), '[DONE]'];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `data: ${event}\n\n`).join(''));
    return;
  }
  response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.body));
}

type Answer =
  | { readonly status: number; readonly body: object }
  /** The events of a streamed answer. */
  | { readonly events: readonly object[] };

async function route(request: IncomingMessage): Promise<Answer> {
  switch (`${request.method} ${request.url}`) {
    case 'GET /v1/models':
      return {
        status: 200,
        body: { object: 'list', data: [{ id: demoModelId, object: 'model', owned_by: 'demo' }] },
      };
    case 'POST /v1/chat/completions':
      return completion(await readText(request));
    default:
      return refusal(404, 'The routes are GET /v1/models and POST /v1/chat/completions.');
  }
}

const contentSchema = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text'), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join('\n')),
  // A message with tool calls has no content.
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

type CompletionRequest = z.infer<typeof requestSchema>;

function completion(body: string): Answer {
  const parsed = requestSchema.safeParse(JSON.parse(body));
  if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
  const { messages, response_format, stream } = parsed.data;
  const message = messageFor(parsed.data, response_format?.json_schema?.schema);
  const prompt_tokens = tokensIn(messages.map((message) => message.content).join('\n'));
  const completion_tokens = tokensIn(message.content ?? JSON.stringify(message.tool_calls));
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  if (stream) return { events: toEvents(message, usage) };
  const choices = [
    { index: 0, message: { role: 'assistant', ...message }, finish_reason: finishReason(message) },
  ];
  return { status: 200, body: { ...envelope, object: 'chat.completion', choices, usage } };
}

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
}

/** After a tool call, the answer is the result of the tool. */
function messageFor({ messages, tools }: CompletionRequest, schema: JsonObject | undefined): Message {
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

const finishReason = ({ tool_calls }: Message) => (tool_calls ? 'tool_calls' : 'stop');

const envelope = { id: 'chatcmpl-demo', created: 0, model: demoModelId };

/** Streams text word by word, and a tool call in one piece. */
function toEvents(message: Message, usage: object): object[] {
  const chunk = { ...envelope, object: 'chat.completion.chunk' };
  const words = message.content?.match(/\S+\s*|\s+/g) ?? [];
  const deltas = message.tool_calls ? [message] : words.map((word) => ({ content: word }));
  const pieces = deltas.map((delta) => ({
    ...chunk,
    choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }],
  }));
  const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finishReason(message) }], usage };
  return [...pieces, last];
}

/** The rule of thumb: four characters to a token. */
const tokensIn = (text: string) => Math.ceil(text.length / 4);

const refusal = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});
