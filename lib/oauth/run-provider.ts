// Hands a request to oidc-provider, which is an application for the HTTP server of Node.js, and collects its answer. It
// sees only the headers that are named here, and no cookies of the browser.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { requireEnv } from '#lib/env.ts';
import { asServiceError } from '#lib/http/problem.ts';
import type { StoredGrant } from './grant.ts';
import { findProvider } from './provider.ts';
import { type Consent, commit, withRequestState } from './request-state.ts';

export interface ProviderRequest {
  readonly method: string;
  /** Below the address of the service, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** The answer of the person, for the request that ends an authorization. */
  readonly consent?: Consent;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly challenge: string | undefined;
  /** Parsed JSON; undefined for an answer without a body. */
  readonly body: unknown;
  /** What the request wanted to use up was used by another one meanwhile, so that nothing was written. */
  readonly isTooLate: boolean;
  readonly grant: StoredGrant | undefined;
}

/** Throws what oidc-provider failed with, where that is no fault of the client. */
export async function runProvider(request: ProviderRequest): Promise<ProviderAnswer> {
  const provider = await findProvider();
  const handle = provider.callback();
  const { result, state } = await withRequestState(request.consent, async () => {
    const incoming = toIncoming(request);
    return await collect(incoming, async (response) => await handle(incoming, response));
  });
  if (state.failure !== undefined) throw asServiceError(state.failure);
  // An error ends what it finds misused, and uses nothing up.
  const writes = result.status < 400 ? state.writes : state.writes.filter((action) => 'Delete' in action);
  return { ...result, isTooLate: !(await commit(writes)), grant: state.grant };
}

function toIncoming({ method, path, headers = {}, body = '', consent }: ProviderRequest): IncomingMessage {
  const base = new URL(requireEnv('GATEWAY_URL'));
  const incoming = new IncomingMessage(new Socket());
  const sent = {
    ...headers,
    accept: 'application/json',
    host: base.host,
    'x-forwarded-proto': base.protocol.slice(0, -1),
    ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }),
    ...(consent && { cookie: `_interaction_resume=${consent.uid}` }),
  };
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) incoming.headers[name] = value;
  // From the second, oidc-provider takes the part of the path that is before its routes: that of a stage.
  const originalUrl = `${base.pathname.replace(/\/$/, '')}${path}`;
  Object.assign(incoming, { method, url: path, originalUrl, complete: true });
  if (body !== '') incoming.push(body);
  incoming.push(null);
  return incoming;
}

type Collected = Pick<ProviderAnswer, 'status' | 'location' | 'challenge' | 'body'>;

async function collect(
  incoming: IncomingMessage,
  handle: (response: ServerResponse) => Promise<void>,
): Promise<Collected> {
  const response = new ServerResponse(incoming);
  const { promise, resolve } = Promise.withResolvers<string>();
  response.end = (chunk?: unknown) => {
    resolve(Buffer.isBuffer(chunk) || typeof chunk === 'string' ? chunk.toString() : '');
    return response;
  };
  await handle(response);
  const text = await promise;
  return {
    status: response.statusCode,
    location: readHeader(response, 'location'),
    challenge: readHeader(response, 'www-authenticate'),
    body: isJson(response) && text !== '' ? JSON.parse(text) : undefined,
  };
}

const readHeader = (response: ServerResponse, name: string): string | undefined => {
  const value = response.getHeader(name);
  return value === undefined ? undefined : String(value);
};

const isJson = (response: ServerResponse): boolean =>
  /^application\/(\w+\+)?json/.test(readHeader(response, 'content-type') ?? '');
