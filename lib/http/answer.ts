// What a function answers, and the proxy answer that API Gateway wants for it.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

export type Answer<R> =
  | { readonly json: R; readonly headers?: Headers }
  /** Sent as it is, byte for byte. */
  | { readonly text: string; readonly contentType: string; readonly headers?: Headers }
  | StreamAnswer
  | { readonly empty: true }
  /** 204: the stream is over, and who follows it need not come back (HTML standard, §9.2.2). */
  | { readonly over: true }
  /** 304: the caller has it already. */
  | { readonly notModified: true; readonly headers: Headers };

interface StreamAnswer {
  readonly stream: AsyncIterable<string>;
  readonly contentType: string;
  readonly headers?: Headers;
}

export interface ProxyAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string | Readable;
}

export function answerOf(route: Pick<Route, 'response'>, answer: Answer<unknown>): ProxyAnswer {
  const statusCode = route.response.status;
  if ('empty' in answer) return { statusCode, headers: {}, body: '' };
  if ('over' in answer) return { statusCode: 204, headers: { 'cache-control': 'no-store' }, body: '' };
  if ('notModified' in answer) return { statusCode: 304, headers: { ...answer.headers }, body: '' };
  const base = { 'cache-control': 'no-store', ...answer.headers };
  if ('json' in answer) {
    const contentType = route.response.contentType ?? 'application/json';
    return {
      statusCode,
      headers: { 'content-type': contentType, ...base },
      body: JSON.stringify(answer.json),
    };
  }
  const headers = { 'content-type': answer.contentType, ...base };
  if ('text' in answer) return { statusCode, headers, body: answer.text };
  return { statusCode, headers, body: Readable.from(begun(answer.stream)) };
}

/** Begun at once: a generator that never begins, because its client has left already, would never come to its `finally` either. */
function begun(stream: AsyncIterable<string>): AsyncIterable<string> {
  const iterator = stream[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<string>> | undefined = iterator.next();
  first.catch(() => undefined);
  const next = async () => {
    const result = first ?? iterator.next();
    first = undefined;
    return await result;
  };
  const end = async () => (await iterator.return?.()) ?? { done: true as const, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/** Once nothing makes parts of the answer any more, also when nobody listens. */
export async function ended({ body }: Pick<ProxyAnswer, 'body'>): Promise<void> {
  if (typeof body !== 'string' && !body.closed) await once(body, 'close').catch(() => undefined);
}

/** A text of more than 16 K characters is cut by middy before it is sent, which breaks a character of two units (an emoji) at the cut. Bytes are not. */
export function inBytes(answer: ProxyAnswer): ProxyAnswer {
  if (typeof answer.body !== 'string') return answer;
  return { ...answer, body: Readable.from([Buffer.from(answer.body)]) };
}

/** For hosts without response streaming: the same answer, once it is complete. */
export async function collected(answer: ProxyAnswer): Promise<ProxyAnswer> {
  if (typeof answer.body === 'string') return answer;
  const chunks: string[] = [];
  for await (const chunk of answer.body) chunks.push(String(chunk));
  return { ...answer, body: chunks.join('') };
}
