// What a function answers, and the proxy answer that API Gateway wants for it.
import { Readable } from 'node:stream';
import type { Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

export type Answer<R> =
  | { readonly json: R; readonly headers?: Headers }
  /** Sent as it is, byte for byte. */
  | { readonly text: string; readonly contentType: string; readonly headers?: Headers }
  | { readonly stream: AsyncIterable<string>; readonly contentType: string; readonly headers?: Headers }
  | { readonly empty: true }
  /** 304: the caller has it already. */
  | { readonly notModified: true; readonly headers: Headers };

export interface ProxyAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string | Readable;
}

export function answerOf(route: Pick<Route, 'response'>, answer: Answer<unknown>): ProxyAnswer {
  const statusCode = route.response.status;
  if ('empty' in answer) return { statusCode, headers: {}, body: '' };
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
  return { statusCode, headers, body: Readable.from(answer.stream) };
}

/** For hosts without response streaming: the same answer, once it is complete. */
export async function collected(answer: ProxyAnswer): Promise<ProxyAnswer> {
  if (typeof answer.body === 'string') return answer;
  const chunks: string[] = [];
  for await (const chunk of answer.body) chunks.push(String(chunk));
  return { ...answer, body: chunks.join('') };
}
