// Bedrock's Converse API on loopback, for what the providers' mock cannot say: reasoning with its signature,
// and streams frame by frame. Each request gets the next turn.
import { encodeEventStreamFrame, encodeEventStreamMessage } from '@copilotkit/aimock';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { type Loopback, loopback, readText } from './loopback.ts';

export interface Bedrock extends Loopback {
  /** Bodies of the requests so far. */
  readonly asked: JsonObject[];
}

/** Turns are lists of content blocks, as the API has them. */
export async function bedrock(...turns: readonly (readonly JsonObject[])[]): Promise<Bedrock> {
  const asked: JsonObject[] = [];
  const left = [...turns];
  const server = await loopback(async (request, response) => {
    asked.push(JSON.parse(await readText(request)));
    const content = left.shift() ?? [];
    if (request.url?.endsWith('/converse-stream')) {
      response.setHeader('content-type', streamType);
      response.end(Buffer.concat(buildFrames(content)));
      return;
    }
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content };
    response.end(JSON.stringify({ output: { message }, stopReason: findStopReason(content), usage }));
  });
  return { ...server, asked };
}

export const streamType = 'application/vnd.amazon.eventstream';

/**
 * A turn as it is streamed, for whoever cuts it after some of its frames: the reason to stop is in the last
 * but one.
 */
export const buildFrames = (content: readonly JsonObject[]): readonly Buffer[] => [
  encodeEventStreamMessage('messageStart', { role: 'assistant' }),
  ...content.flatMap((block, contentBlockIndex) =>
    buildEvents(block).map(([type, event]) =>
      encodeEventStreamMessage(type, { contentBlockIndex, ...event }),
    ),
  ),
  encodeEventStreamMessage('messageStop', { stopReason: findStopReason(content) }),
  encodeEventStreamMessage('metadata', { usage }),
];

/** What the API sends instead of the rest of a stream, such as `throttlingException`. */
export const exceptionFrame = (type: string) =>
  encodeEventStreamFrame(
    { ':content-type': 'application/json', ':exception-type': type, ':message-type': 'exception' },
    Buffer.from(JSON.stringify({ message: 'The provider says no.' })),
  );

const usage = { inputTokens: 20, outputTokens: 4, totalTokens: 24 };

const findStopReason = (content: readonly JsonObject[]) =>
  content.some((block) => 'toolUse' in block) ? 'tool_use' : 'end_turn';

type StreamEvent = readonly [type: string, event: JsonObject];

const delta = (delta: JsonObject): StreamEvent => ['contentBlockDelta', { delta }];
const stop: StreamEvent = ['contentBlockStop', {}];

/** Texts come in two pieces, the signature after them. */
function buildEvents({ text, toolUse, reasoningContent }: JsonObject): readonly StreamEvent[] {
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
