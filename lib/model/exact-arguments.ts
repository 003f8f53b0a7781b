// The arguments of tools and the objects that answers are, as the model wrote them: integers that a number would round
// stay exact, as text. The SDK parses them, so they are rewritten before.
import { type LanguageModel, wrapLanguageModel } from 'ai';
import { parseExactly } from '#lib/json/big-integers.ts';

export const withExactArguments = (model: Parameters<typeof wrapLanguageModel>[0]['model']): LanguageModel =>
  wrapLanguageModel({
    model,
    middleware: {
      wrapGenerate: async ({ doGenerate }) => {
        const result = await doGenerate();
        return { ...result, content: result.content.map(rewriteCall) };
      },
      wrapStream: async ({ doStream }) => {
        const result = await doStream();
        return { ...result, stream: result.stream.pipeThrough(rewriteCalls()) };
      },
    },
  });

type Part =
  | { readonly type: 'tool-call'; readonly input: string }
  | { readonly type: string; readonly input?: unknown };

const rewriteCall = <P extends Part>(part: P): P =>
  part.type === 'tool-call' && typeof part.input === 'string'
    ? { ...part, input: rewrite(part.input, () => undefined) }
    : part;

const rewriteCalls = <P extends Part>() =>
  new TransformStream<P, P>({ transform: (part, controller) => controller.enqueue(rewriteCall(part)) });

/** What is no JSON stays as it is: the agent reports it to the model. */
function rewrite(text: string, noteKept: (count: number) => void): string {
  try {
    const { value, kept } = parseExactly(text);
    if (kept === 0) return text;
    noteKept(kept);
    return JSON.stringify(value);
  } catch {
    return text;
  }
}

/**
 * A whole answer of Bedrock has the arguments as JSON inside its own, which its provider parses. So it is with an object
 * that a model gives as the arguments of a tool. `noteKept` is called with the number of integers that became text.
 */
export async function rewriteAnswer(
  response: Response,
  noteKept: (count: number) => void,
): Promise<Response> {
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // Those of the encoded body, which is decoded here.
  headers.delete('content-length');
  headers.delete('content-encoding');
  const text = await response.text();
  const exact = rewrite(text, noteKept);
  return new Response(exact === '' ? null : exact, { status, statusText, headers });
}
