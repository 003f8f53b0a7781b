// A small OpenAI-compatible server on loopback with one model, `demo-scripted`, that follows fixed rules (`demo-script.ts`). It stands where a
// real provider stands, so that the demo goes through the real model port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import * as z from 'zod';
import type { ModelCatalog } from '#lib/connection/model-catalog.ts';
import { demoModelId, scriptedAnswer } from './demo-script.ts';

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
  messages: z.array(z.object({ role: z.string(), content: contentSchema })).min(1),
  response_format: z
    .object({ json_schema: z.object({ schema: z.record(z.string(), z.json()) }).optional() })
    .optional(),
  stream: z.boolean().optional(),
});

function completion(body: string): Said {
  const parsed = requestSchema.safeParse(JSON.parse(body));
  if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
  const { messages, response_format, stream } = parsed.data;
  const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const content = scriptedAnswer(prompt, response_format?.json_schema?.schema);
  const prompt_tokens = tokensIn(messages.map((message) => message.content).join('\n'));
  const completion_tokens = tokensIn(content);
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  if (stream) return { events: eventsOf(content, usage) };
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { status: 200, body: { ...envelope, object: 'chat.completion', choices, usage } };
}

const envelope = { id: 'chatcmpl-demo', created: 0, model: demoModelId };

/** Word by word. */
function eventsOf(content: string, usage: object): object[] {
  const chunk = { ...envelope, object: 'chat.completion.chunk' };
  const words = content.match(/\S+\s*|\s+/g) ?? [];
  const pieces = words.map((word) => ({
    ...chunk,
    choices: [{ index: 0, delta: { role: 'assistant', content: word }, finish_reason: null }],
  }));
  const last = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
  return [...pieces, last];
}

/** The rule of thumb: four characters to a token. */
const tokensIn = (text: string) => Math.ceil(text.length / 4);

const refusal = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
});
