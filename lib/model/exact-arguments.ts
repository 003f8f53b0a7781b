// The arguments of tools, as the model wrote them: integers that a number would round stay exact, as text. The SDK
// parses the arguments, so they are rewritten before.
import { type LanguageModel, wrapLanguageModel } from 'ai';
import { hasLongInteger, parseIntegersExactly } from '#lib/json/big-integers.ts';

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
  part.type === 'tool-call' && typeof part.input === 'string' && hasLongInteger(part.input)
    ? { ...part, input: rewrite(part.input) }
    : part;

const rewriteCalls = <P extends Part>() =>
  new TransformStream<P, P>({ transform: (part, controller) => controller.enqueue(rewriteCall(part)) });

/** What is no JSON stays as it is: the agent reports it to the model. */
function rewrite(text: string): string {
  try {
    return JSON.stringify(parseIntegersExactly(text).value);
  } catch {
    return text;
  }
}

/** A whole answer of Bedrock has the arguments as JSON inside its own, which its provider parses. */
export async function rewriteAnswer(response: Response): Promise<Response> {
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // Those of the encoded body, which is decoded here.
  headers.delete('content-length');
  headers.delete('content-encoding');
  const text = await response.text();
  const exact = hasLongInteger(text) ? rewrite(text) : text;
  return new Response(exact === '' ? null : exact, { status, statusText, headers });
}
