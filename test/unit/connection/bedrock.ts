// Bedrock's Converse API on loopback, for what the providers' mock cannot say: reasoning with its signature. Each request gets the next turn.
import { encodeEventStreamMessage } from '@copilotkit/aimock';
import { isObject } from '#lib/flow/json-value.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Loopback, loopback, textOf } from './loopback.ts';

export interface Bedrock extends Loopback {
  /** Bodies of the requests so far. */
  readonly asked: JsonObject[];
}

/** Turns are lists of content blocks, as the API has them. */
export async function bedrock(...turns: readonly (readonly JsonObject[])[]): Promise<Bedrock> {
  const asked: JsonObject[] = [];
  const left = [...turns];
  const server = await loopback(async (request, response) => {
    asked.push(JSON.parse(await textOf(request)));
    const content = left.shift() ?? [];
    const stopReason = content.some((block) => 'toolUse' in block) ? 'tool_use' : 'end_turn';
    const usage = { inputTokens: 20, outputTokens: 4, totalTokens: 24 };
    if (request.url?.endsWith('/converse-stream')) {
      response.setHeader('content-type', 'application/vnd.amazon.eventstream');
      response.write(encodeEventStreamMessage('messageStart', { role: 'assistant' }));
      for (const [index, block] of content.entries())
        for (const [type, event] of eventsOf(block))
          response.write(encodeEventStreamMessage(type, { contentBlockIndex: index, ...event }));
      response.write(encodeEventStreamMessage('messageStop', { stopReason }));
      response.end(encodeEventStreamMessage('metadata', { usage }));
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason, usage }));
  });
  return { ...server, asked };
}

type StreamEvent = readonly [type: string, event: JsonObject];

const delta = (delta: JsonObject): StreamEvent => ['contentBlockDelta', { delta }];
const stop: StreamEvent = ['contentBlockStop', {}];

/** Texts come in two pieces, the signature after them. */
function eventsOf({ text, toolUse, reasoningContent }: JsonObject): readonly StreamEvent[] {
  if (typeof text === 'string') return [...halves(text).map((piece) => delta({ text: piece })), stop];
  if (isObject(toolUse)) {
    const { input, ...start } = toolUse;
    return [
      ['contentBlockStart', { start: { toolUse: start } }],
      delta({ toolUse: { input: JSON.stringify(input) } }),
      stop,
    ];
  }
  if (!isObject(reasoningContent)) return [];
  const { reasoningText, redactedContent } = reasoningContent;
  if (!isObject(reasoningText))
    return [delta({ reasoningContent: { redactedContent: redactedContent ?? '' } }), stop];
  const { text: thought, signature } = reasoningText;
  return [
    ...halves(String(thought)).map((piece) => delta({ reasoningContent: { text: piece } })),
    ...(signature === undefined ? [] : [delta({ reasoningContent: { signature } })]),
    stop,
  ];
}

const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
