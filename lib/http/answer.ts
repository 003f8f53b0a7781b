// The answer of a function, and the proxy response of API Gateway that it becomes.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

/** `workspaceid` is that of the resource, for the audit record, where the request names the resource only. It is not sent. */
export type Answer<R> = Content<R> & { readonly workspaceid?: string | undefined };

type Content<R> = Body<R> & { readonly headers?: Headers };

type Body<R> =
  | { readonly json: R }
  /** Sent unchanged, byte for byte. `status` is that of an error in a form of its own. */
  | {
      readonly text: string;
      readonly contentType: string;
      readonly status?: number;
      /** Values of `Set-Cookie`, of which an answer may have several. */
      readonly cookies?: readonly string[];
    }
  /** Of a file. Only on routes that stream: others send text. */
  | { readonly bytes: Uint8Array; readonly contentType: string }
  | StreamAnswer
  | { readonly empty: true }
  /**
   * 204: there is nothing to answer. For a stream of events it means that the stream has ended, and its client
   * must not reconnect (HTML standard, §9.2.2).
   */
  | { readonly over: true }
  /** 304: the caller has this version already. */
  | { readonly notModified: true; readonly headers: Headers };

interface StreamAnswer {
  readonly stream: AsyncIterable<string>;
  readonly contentType: string;
}

export interface ProxyAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string | Readable;
  /** For the audit record; removed before the answer is sent. */
  readonly workspaceid?: string | undefined;
}

export const toProxyAnswer = (route: Pick<Route, 'response'>, answer: Answer<unknown>): ProxyAnswer => ({
  ...toContent(route, answer),
  workspaceid: answer.workspaceid,
});

function toContent(route: Pick<Route, 'response'>, answer: Answer<unknown>): ProxyAnswer {
  const statusCode = route.response.status;
  if ('empty' in answer) return { statusCode, headers: { ...answer.headers }, body: '' };
  if ('notModified' in answer) return { statusCode: 304, headers: { ...answer.headers }, body: '' };
  const base = { 'cache-control': 'no-store', ...answer.headers };
  if ('over' in answer) return { statusCode: 204, headers: base, body: '' };
  if ('json' in answer) {
    const contentType = route.response.contentType ?? 'application/json';
    return {
      statusCode,
      headers: { 'content-type': contentType, ...base },
      body: JSON.stringify(answer.json),
    };
  }
  const headers = { 'content-type': answer.contentType, ...base };
  if ('text' in answer) {
    const { status = statusCode, text: body, cookies } = answer;
    return { statusCode: status, headers, ...(cookies && setCookies(cookies)), body };
  }
  if ('bytes' in answer) return { statusCode, headers, body: Readable.from([answer.bytes]) };
  return { statusCode, headers, body: Readable.from(startStream(answer.stream)) };
}

const setCookies = (cookies: readonly string[]) => ({ multiValueHeaders: { 'set-cookie': [...cookies] } });

/**
 * Asks for the first chunk at once: a generator that never starts, because its client has left already, would
 * never run its `finally` either.
 */
function startStream(stream: AsyncIterable<string>): AsyncIterable<string> {
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

/** Resolves when the body is complete or was destroyed, also if it was never read. */
export async function waitForEnd({ body }: Pick<ProxyAnswer, 'body'>): Promise<void> {
  if (typeof body !== 'string' && !body.closed) await once(body, 'close').catch(() => undefined);
}

const uncutLength = 16_384;

/**
 * Middy cuts a text of more than 16 K characters before it is sent, which breaks a character of two UTF-16
 * units (an emoji) at the cut. It does not cut bytes.
 */
export function toBytes(answer: ProxyAnswer): ProxyAnswer {
  if (typeof answer.body !== 'string' || answer.body.length <= uncutLength) return answer;
  return { ...answer, body: Readable.from([Buffer.from(answer.body)]) };
}

/** For a client that has left: a stream ends as if it had been sent meanwhile. A closed one would not take it. */
export async function discardBody(answer: ProxyAnswer): Promise<ProxyAnswer> {
  if (typeof answer.body === 'string') return answer;
  answer.body.destroy();
  await waitForEnd(answer);
  return { ...answer, body: '' };
}

/** The same answer once it is complete, for hosts without response streaming. */
export async function collectBody(answer: ProxyAnswer): Promise<ProxyAnswer> {
  if (typeof answer.body === 'string') return answer;
  const chunks: string[] = [];
  for await (const chunk of answer.body) chunks.push(String(chunk));
  return { ...answer, body: chunks.join('') };
}
