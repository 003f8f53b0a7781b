// The one way out to the network: `fetch`, with every address, redirect, header, size and time checked. It knows no flows and no models.
import { lookup as dnsLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isListed } from '#lib/flow/format/egress.ts';
import { isWrittenAsUrl } from '#lib/web-url.ts';
import { boundedBody } from './bounded-body.ts';
import { type Credential, requireNoSecret, withCredential, withoutCredential } from './carried-credential.ts';
import { EgressError } from './egress-error.ts';
import { type EgressPolicy, isAllowedPrivate } from './egress-policy.ts';
import { exchange, type Hop } from './http-round-trip.ts';
import { checkHeaders, harmlessHeaders, withoutContent } from './outgoing-headers.ts';
import { firstHop } from './outgoing-request.ts';
import { guardedLookup, isPublicAddress, notPublic, type Resolve } from './public-address.ts';

export interface EgressLimits {
  readonly requestBytesMax: number;
  /** Counted after decoding. */
  readonly responseBytesMax: number;
  /** From the start of a hop to the head of its answer: lookup, connection, TLS and waiting. */
  readonly headersMs: number;
  /** From the head of the answer to its last byte. */
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
  /** Sent to the origin of the request alone. Once a redirect has left that origin, nothing brings the credential back. */
  readonly credential?: Credential;
}

/** Fits wherever a `typeof fetch` is asked for. */
export type GuardedFetch = (input: string | URL | Request, init?: GuardedInit) => Promise<Response>;

const redirectsMax = 3;

/** Throws `EgressError` for what it refuses; aborts and network failures reject as those of the built-in `fetch` do. */
export function createGuardedFetch(policy: EgressPolicy, resolve: Resolve = dnsLookup): GuardedFetch {
  const publicOnly = guardedLookup(resolve, isPublicAddress);
  const any = guardedLookup(resolve, () => true);
  return async (input, init = {}) => {
    const limits = { ...defaultLimits, ...init.limits };
    const { hop: first, redirect, signal } = await firstHop(input, init, limits.requestBytesMax);
    let { credential } = init;
    if (credential?.to === 'header') checkHeaders([[credential.name, credential.value.reveal()]]);
    let hop: Hop = first;
    for (let redirects = 0; ; redirects++) {
      checkTarget(hop.url, policy, init.egress);
      signal.throwIfAborted();
      const lookup = isAllowedPrivate(hop.url, policy) ? any : publicOnly;
      const sent = credential ? withCredential(hop, credential) : hop;
      const message = await exchange(sent, { lookup, headersMs: limits.headersMs, signal });
      const target = redirect === 'manual' ? undefined : redirectTarget(message, hop.url);
      if (!target) return toResponse(message, hop, limits, signal);
      message.destroy();
      if (redirect === 'error' || redirects === redirectsMax) throw tooManyRedirects(redirect);
      const next = nextHop(hop, target, message.statusCode ?? 0, init.credential);
      if (next.url.origin !== hop.url.origin) credential = undefined;
      hop = next;
    }
  };
}

/** The order matters for the message only: each check alone refuses. */
function checkTarget(url: URL, policy: EgressPolicy, egress: readonly string[] | undefined): void {
  const host = url.hostname;
  const isExempt = isAllowedPrivate(url, policy);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isExempt)) {
    throw new EgressError('egress.scheme', `Only https is allowed, not ${url.protocol.slice(0, -1)}.`);
  }
  if (url.username || url.password) {
    throw new EgressError(
      'egress.credentials_in_url',
      `The URL for "${host}" carries a user name or password.`,
    );
  }
  if (egress && !isListed(url, egress)) {
    throw new EgressError(
      'egress.host_not_listed',
      `The host "${url.host}" is not in the egress list of the flow.`,
    );
  }
  const address = host.replace(/^\[|\]$/g, '');
  if (!isExempt && isIP(address) && !isPublicAddress(address)) throw notPublic(host);
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

/** The Fetch standard's redirect, stricter in two ways: no step down from https, and only harmless headers of the flow reach another origin. */
function nextHop(hop: Hop, target: URL, status: number, credential: Credential | undefined): Hop {
  if (hop.url.protocol === 'https:' && target.protocol === 'http:') {
    throw new EgressError('egress.downgrade', `The host "${hop.url.hostname}" redirects from https to http.`);
  }
  const url = credential ? withoutCredential(target, credential) : target;
  const isSameOrigin = url.origin === hop.url.origin;
  if (credential && !isSameOrigin) requireNoSecret(url, hop.url, credential);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const kept = isSameOrigin ? hop.headers : harmlessHeaders(hop.headers);
  return becomesGet
    ? { url, method: 'GET', headers: withoutContent(kept), body: null }
    : { ...hop, url, headers: kept };
}

function toResponse(message: IncomingMessage, hop: Hop, limits: EgressLimits, signal: AbortSignal): Response {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new EgressError(
      'egress.response',
      `The host "${hop.url.hostname}" answered with the status ${status}.`,
    );
  }
  const hasBody = hop.method !== 'HEAD' && ![204, 205, 304].includes(status);
  const body = hasBody
    ? boundedBody(message, { bytesMax: limits.responseBytesMax, bodyMs: limits.bodyMs, signal })
    : null;
  if (!hasBody) message.destroy();
  const response = new Response(body, {
    status,
    statusText: (message.statusMessage ?? '').replace(/[^\x20-\x7e]/g, ''),
    headers: answerHeaders(message),
  });
  return Object.defineProperty(response, 'url', { value: hop.url.href });
}

/** Without the two that no longer describe the body once it is decoded. */
function answerHeaders(message: IncomingMessage): Headers {
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
