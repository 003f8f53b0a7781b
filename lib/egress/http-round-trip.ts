// One HTTP round trip over node:http or node:https, up to the head of the response. `guarded-fetch.ts` has
// checked the target.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { EgressError } from './egress-error.ts';

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
}

interface RoundTripOptions {
  readonly lookup: LookupFunction;
  readonly headersMs: number;
  readonly signal: AbortSignal;
}

/**
 * Resolves with the head of the response; the caller must read or destroy its body. Rejects as `fetch` does:
 * with the signal's reason, or with a TypeError `fetch failed`.
 */
export function roundTrip(
  outgoing: OutgoingRequest,
  { lookup, headersMs, signal }: RoundTripOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = open(outgoing, lookup);
    const timer = setTimeout(() => request.destroy(tooSlow(outgoing.url, headersMs)), headersMs);
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
    request.end(outgoing.body ?? undefined);
  });
}

/**
 * Opens a new connection for every request: the address that was checked is the address that is used, and no
 * request fails on a socket that was closed while the function was frozen. `agent: false` also ignores proxy
 * variables of the environment.
 */
function open({ url, method, headers, body }: OutgoingRequest, lookup: LookupFunction): ClientRequest {
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

/** The reason of an aborted signal as an error, since a reason may be any value. */
export const abortReason = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new DOMException('The request was aborted.', 'AbortError');

/** The error with which this service ended the request, if it did; undefined when the network ended it. */
export function ownError(error: unknown, signal: AbortSignal): Error | undefined {
  if (signal.aborted) return abortReason(signal);
  return error instanceof EgressError ? error : undefined;
}

const tooSlow = (url: URL, ms: number) =>
  new EgressError('egress.timeout', `The host "${url.hostname}" did not answer within ${ms / 1000} s.`);
