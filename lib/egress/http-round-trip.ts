// One request and the head of its answer over node:http or node:https. No rules about where to: `guarded-fetch.ts` has checked that.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { EgressError } from './egress-error.ts';

export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
}

interface ExchangeOptions {
  readonly lookup: LookupFunction;
  readonly headersMs: number;
  readonly signal: AbortSignal;
}

/** Resolves with the head of the answer; the caller owns its body. Rejects as `fetch` does: the signal's reason, or TypeError `fetch failed`. */
export function exchange(hop: Hop, { lookup, headersMs, signal }: ExchangeOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = open(hop, lookup);
    const timer = setTimeout(() => request.destroy(tooSlow(hop.url, headersMs)), headersMs);
    const abort = () => request.destroy(abortReason(signal));
    signal.addEventListener('abort', abort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    request.once('response', (message) => {
      settle();
      resolve(message);
    });
    request.on('error', (error) => {
      settle();
      reject(ownError(error, signal) ?? new TypeError('fetch failed', { cause: error }));
    });
    request.end(hop.body ?? undefined);
  });
}

/**
 * A connection of its own for every request: an address that was checked is the address that is used, and a socket that died while the
 * function was frozen is never found out by a request. `agent: false` also keeps proxy variables of the environment out.
 */
function open({ url, method, headers, body }: Hop, lookup: LookupFunction): ClientRequest {
  const length = body ? { 'content-length': String(body.byteLength) } : {};
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(url, {
    method,
    agent: false,
    rejectUnauthorized: true,
    headers: { ...Object.fromEntries(headers), ...length },
    lookup,
  });
}

/** The reason of an aborted signal as an error, whatever the one who aborted gave. */
export const abortReason = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new DOMException('The request was aborted.', 'AbortError');

/** What we ended the request with, whatever the socket made of it; undefined when the network ended it. */
export function ownError(error: unknown, signal: AbortSignal): Error | undefined {
  if (signal.aborted) return abortReason(signal);
  return error instanceof EgressError ? error : undefined;
}

const tooSlow = (url: URL, ms: number) =>
  new EgressError('egress.timeout', `The host "${url.hostname}" did not answer within ${ms / 1000} s.`);
