// The `fetch` for all outbound requests. It checks every address, redirect, header, size and time, and knows
// nothing of flows or models.
import { lookup as dnsLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isWrittenAsUrl } from '#lib/web-url.ts';
import { boundedBody } from './bounded-body.ts';
import { type Credential, requireNoSecret, withCredential, withoutCredential } from './carried-credential.ts';
import { checkTarget } from './check-target.ts';
import { EgressError } from './egress-error.ts';
import { type EgressPolicy, isAllowedPrivate } from './egress-policy.ts';
import { type OutgoingRequest, roundTrip } from './http-round-trip.ts';
import { checkHeaders, harmlessHeaders, withoutContent } from './outgoing-headers.ts';
import { parseOutgoingRequest } from './outgoing-request.ts';
import { guardedLookup, isPublicAddress, type Resolve } from './public-address.ts';

export interface EgressLimits {
  readonly requestBytesMax: number;
  /** Counted after decoding. */
  readonly responseBytesMax: number;
  /** From the start of a round trip to the head of its response: lookup, connection, TLS and waiting. */
  readonly headersMs: number;
  /** From the head of the response to its last byte. */
  readonly bodyMs: number;
}

const defaultLimits: EgressLimits = {
  requestBytesMax: 1024 ** 2,
  responseBytesMax: 1024 ** 2,
  headersMs: 30_000,
  bodyMs: 30_000,
};

interface GuardedInit extends RequestInit {
  /** The only hosts this request and its redirects may reach (see `isListed`); absent, any public host. */
  readonly egress?: readonly string[];
  readonly limits?: Partial<EgressLimits>;
  /** Sent only to the origin of the request. After a redirect to another origin, it is not sent again. */
  readonly credential?: Credential;
}

/** Assignable to `typeof fetch`. */
export type GuardedFetch = (input: string | URL | Request, init?: GuardedInit) => Promise<Response>;

const redirectsMax = 3;

/**
 * Throws `EgressError` for what it refuses. Aborts and network failures reject like those of the built-in
 * `fetch`.
 */
export function createGuardedFetch(policy: EgressPolicy, resolve: Resolve = dnsLookup): GuardedFetch {
  const publicOnly = guardedLookup(resolve, isPublicAddress);
  const any = guardedLookup(resolve, () => true);
  return async (input, init = {}) => {
    const limits = { ...defaultLimits, ...init.limits };
    const {
      request: first,
      redirect,
      signal,
    } = await parseOutgoingRequest(input, init, limits.requestBytesMax);
    let { credential } = init;
    if (credential?.to === 'header') checkHeaders([[credential.name, credential.value.reveal()]]);
    let request: OutgoingRequest = first;
    for (let redirects = 0; ; redirects++) {
      checkTarget(request.url, policy, init.egress);
      signal.throwIfAborted();
      const lookup = isAllowedPrivate(request.url, policy) ? any : publicOnly;
      const sent = credential ? await withCredential(request, credential) : request;
      const message = await roundTrip(sent, { lookup, headersMs: limits.headersMs, signal });
      const target = redirect === 'manual' ? undefined : redirectTarget(message, request.url);
      if (!target) return toResponse(message, request, limits, signal);
      message.destroy();
      if (redirect === 'error' || redirects === redirectsMax) throw tooManyRedirects(redirect);
      const next = followRedirect(request, target, message.statusCode ?? 0, init.credential);
      if (next.url.origin !== request.url.origin) credential = undefined;
      request = next;
    }
  };
}

function redirectTarget(message: IncomingMessage, from: URL): URL | undefined {
  const { location } = message.headers;
  if (![301, 302, 303, 307, 308].includes(message.statusCode ?? 0) || location === undefined)
    return undefined;
  const target = isWrittenAsUrl(location) ? URL.parse(location, from.href) : null;
  if (target) return target;
  message.destroy();
  throw new EgressError(
    'egress.redirects',
    `The host "${from.hostname}" redirects to something that is not a URL.`,
  );
}

/**
 * Follows the Fetch standard, with two restrictions: no redirect from https to http, and only harmless
 * headers reach another origin.
 */
function followRedirect(
  request: OutgoingRequest,
  target: URL,
  status: number,
  credential: Credential | undefined,
): OutgoingRequest {
  if (request.url.protocol === 'https:' && target.protocol === 'http:') {
    throw new EgressError(
      'egress.downgrade',
      `The host "${request.url.hostname}" redirects from https to http.`,
    );
  }
  const url = credential ? withoutCredential(target, credential) : target;
  const isSameOrigin = url.origin === request.url.origin;
  if (credential && !isSameOrigin) requireNoSecret(url, request.url, credential);
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST';
  const kept = isSameOrigin ? request.headers : harmlessHeaders(request.headers);
  return becomesGet
    ? { url, method: 'GET', headers: withoutContent(kept), body: null }
    : { ...request, url, headers: kept };
}

function toResponse(
  message: IncomingMessage,
  request: OutgoingRequest,
  limits: EgressLimits,
  signal: AbortSignal,
): Response {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new EgressError(
      'egress.response',
      `The host "${request.url.hostname}" answered with the status ${status}.`,
    );
  }
  const hasBody = request.method !== 'HEAD' && ![204, 205, 304].includes(status);
  const body = hasBody
    ? boundedBody(message, { bytesMax: limits.responseBytesMax, bodyMs: limits.bodyMs, signal })
    : null;
  if (!hasBody) message.destroy();
  const response = new Response(body, {
    status,
    statusText: (message.statusMessage ?? '').replace(/[^\x20-\x7e]/g, ''),
    headers: responseHeaders(message),
  });
  return Object.defineProperty(response, 'url', { value: request.url.href });
}

/** Without the two headers that no longer describe the body once it is decoded. */
function responseHeaders(message: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (name === 'content-encoding' || name === 'content-length') continue;
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

const tooManyRedirects = (redirect: string) =>
  new EgressError(
    'egress.redirects',
    redirect === 'error' ? 'The request must not be redirected.' : `More than ${redirectsMax} redirects.`,
  );
