// The structured content of a tool's result, as the server wrote it: integers that a number would round stay exact, as
// text. The SDK parses responses, so those that have such a result are rewritten before. Others, such as lists of
// tools, stay as they are: the bounds in their schemas are numbers.
import { parseExactly } from '#lib/json/big-integers.ts';

type NoteKept = (count: number) => void;

/** Reads JSON and server-sent events. `noteKept` is called with the number of integers that became text. */
export function withExactResults(response: Response, noteKept: NoteKept): Response {
  const type = response.headers.get('content-type') ?? '';
  const rewriter = rewriters.find(({ pattern }) => pattern.test(type));
  if (!response.body || !rewriter) return response;
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(rewriter.create(noteKept))
    .pipeThrough(new TextEncoderStream());
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
}

const rewriters = [
  { pattern: /^application\/json\b/i, create: rewriteWhole },
  { pattern: /^text\/event-stream\b/i, create: rewriteEvents },
];

function rewriteWhole(noteKept: NoteKept): TransformStream<string, string> {
  const chunks: string[] = [];
  return new TransformStream({
    transform: (chunk) => void chunks.push(chunk),
    flush: (controller) => controller.enqueue(rewriteMessage(chunks.join(''), noteKept)),
  });
}

/** The data of an event may have several lines (HTML Standard §9.2.6), and a chunk may end anywhere. */
function rewriteEvents(noteKept: NoteKept): TransformStream<string, string> {
  let rest = '';
  let isAfterCr = false;
  let data: string[] = [];
  const printLine = (line: string): string => {
    if (line.startsWith('data:')) {
      data.push(line.slice('data:'.length));
      return '';
    }
    if (line !== '' || data.length === 0) return `${line}\n`;
    const message = rewriteMessage(data.join('\n'), noteKept);
    data = [];
    return `${printData(message.split('\n'))}\n`;
  };
  return new TransformStream({
    transform: (chunk, controller) => {
      // The second half of a CRLF.
      rest += isAfterCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
      isAfterCr = chunk.endsWith('\r');
      // A line that is long has many chunks.
      if (!/[\r\n]/.test(chunk)) return;
      const lines = rest.split(/\r\n|\r|\n/);
      rest = lines.pop() ?? '';
      const printed = lines.map(printLine).join('');
      if (printed !== '') controller.enqueue(printed);
    },
    flush: (controller) => controller.enqueue(printData(data) + rest),
  });
}

const printData = (lines: readonly string[]): string => lines.map((line) => `data:${line}\n`).join('');

/** What is no JSON stays as it is: the SDK reports it. */
function rewriteMessage(text: string, noteKept: NoteKept): string {
  if (!text.includes('"structuredContent"')) return text;
  try {
    const { value, kept } = parseExactly(text);
    if (kept === 0 || !hasStructuredContent(value)) return text;
    noteKept(kept);
    return JSON.stringify(value);
  } catch {
    return text;
  }
}

const hasStructuredContent = (message: unknown): boolean =>
  isObject(message) && isObject(message.result) && 'structuredContent' in message.result;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
