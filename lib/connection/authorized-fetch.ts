// The fetch that adds the credential of a connection to requests, and only to hosts that both the connection
// and the flow allow. The guarded fetch adds the credential last, so redirects, errors and logs never contain
// it.

import type { Credential } from '#lib/egress/carried-credential.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { redactSecrets } from '#lib/egress/redact.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import { isListed } from '#lib/flow/format/egress.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Secret } from '#lib/secret.ts';
import { type Authorization, createAuthorization } from './authorization.ts';
import type { FindConnection } from './find.ts';
import type { TokenMemory } from './token-memory.ts';

export interface ConnectionFetch {
  readonly fetch: GuardedFetch;
  /** Replaces the credentials that were sent, in case the host repeats them. */
  readonly redact: (text: string) => string;
}

export interface ConnectionFetchOptions {
  readonly fetch: GuardedFetch;
  /** The connections that the flow declares. */
  readonly declared: DeclaredConnections;
  readonly find: FindConnection;
  readonly memory: TokenMemory;
}

/** Throws `NodeError` (codes `connection.*`). */
export async function createAuthorizedFetch(
  options: ConnectionFetchOptions,
  name: string,
): Promise<ConnectionFetch> {
  const { fetch, memory } = options;
  const { connection, hosts, aws } = await requireConnection(options, name);
  const authorization = createAuthorization({ name, connection, aws, fetch, memory });
  const seen = new Map<string, Secret>();
  const remember = (credential: Credential) => {
    for (const secret of credential.secrets) seen.set(secret.reveal(), secret);
    return credential;
  };
  return {
    fetch: async (input, init = {}) => {
      const url = URL.parse(input instanceof Request ? input.url : String(input));
      // The guarded fetch refuses what is not a URL; no credential is added.
      if (!url) return await fetch(input, init);
      requireHost(name, url, hosts);
      return await fetchAuthorized(fetch, input, { ...init, authorization, remember, url });
    },
    redact: (text) => redactSecrets(text, seen.values()),
  };
}

async function requireConnection({ declared, find }: ConnectionFetchOptions, name: string) {
  const declaration = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (!declaration) throw new NodeError('connection.missing', `The flow declares no connection "${name}".`);
  const connection = await find(name, declaration).catch((cause: unknown) => {
    throw new NodeError('connection.unavailable', `The connection "${name}" cannot be read.`, { cause });
  });
  if (connection?.value.type !== declaration.type) {
    const kind = connection ? `has another type than ${declaration.type}` : 'has no value';
    throw new NodeError('connection.missing', `The connection "${name}" ${kind}.`);
  }
  return { connection, hosts: [declaration.hosts, connection.value.hosts], aws: declaration.aws };
}

function requireHost(name: string, url: URL, hosts: readonly (readonly string[])[]): void {
  if (hosts.every((allowed) => isListed(url, allowed))) return;
  throw new NodeError('connection.host', `The connection "${name}" is not for the host ${url.host}.`);
}

interface AuthorizedInit extends NonNullable<Parameters<GuardedFetch>[1]> {
  readonly authorization: Authorization;
  /** Records each credential that is sent, so that responses can be redacted. */
  readonly remember: (credential: Credential) => Credential;
  readonly url: URL;
}

/**
 * Repeats the request with a renewed credential when the host refuses the first one with 401. A request whose
 * body can be read only once is not repeated.
 */
async function fetchAuthorized(
  fetch: GuardedFetch,
  input: Parameters<GuardedFetch>[0],
  { authorization, remember, url, ...init }: AuthorizedInit,
): Promise<Response> {
  const { add, renew } = authorization;
  const first = remember(await add(url));
  const response = await fetch(input, { ...init, credential: first });
  const isRefused = response.status === 401 && URL.parse(response.url)?.origin === url.origin;
  const canRepeat = !(input instanceof Request) && !(init.body instanceof ReadableStream);
  if (!isRefused || !renew || !canRepeat) return response;
  await response.body?.cancel();
  return await fetch(input, { ...init, credential: remember(await renew(first)) });
}
