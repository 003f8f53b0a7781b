// Some providers ignore `stream: true` and answer with the whole completion as JSON. Such an answer is read as a stream
// of one chunk. It is loaded with the SDK.
import * as z from 'zod';
import { tryParse } from '#lib/json/try-parse.ts';

const completion = z.looseObject({ choices: z.array(z.looseObject({ message: z.looseObject({}) })) });

/** The answer of an OpenAI-compatible provider, as server-sent events. What is no completion stays as it is. */
export async function toEventStream(response: Response): Promise<Response> {
  if (!response.ok || !/^application\/json\b/i.test(response.headers.get('content-type') ?? ''))
    return response;
  const text = await response.text();
  return new Response(toEvents(text) ?? text, { headers: { 'content-type': 'text/event-stream' } });
}

/** An error that is sent with status 200 has the same form in both. */
function toEvents(text: string): string | undefined {
  const content = tryParse(text);
  if (typeof content !== 'object' || content === null) return undefined;
  const { data } = completion.safeParse(content);
  const choices = data?.choices.map(({ message, ...choice }) => ({ ...choice, delta: message }));
  return `data: ${JSON.stringify({ ...content, ...(choices && { choices }) })}\n\n`;
}
