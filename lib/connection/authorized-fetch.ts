// A fetch that carries the credential of a connection: to the hosts that both its owner and the flow allow, and to no other. The guarded
// fetch adds the credential as the last thing, so that redirects, errors and logs are made without it.

import type { Credential } from '#lib/egress/carried-credential.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { withoutSecrets } from '#lib/egress/redact.ts';
import { isListed } from '#lib/flow/format/egress.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Secret } from '#lib/secret.ts';
import { type Authorization, authorizationOf } from './authorization.ts';
import type { Connected, ConnectOptions } from './connection-fetch.ts';

/** Throws `NodeError` (codes `connection.*`). */
export async function connected(options: ConnectOptions, name: string): Promise<Connected> {
  const { fetch, memory } = options;
  const { connection, hosts } = await openOf(options, name);
  const authorization = authorizationOf({ name, connection, fetch, memory });
  const seen = new Map<string, Secret>();
  const noted = (credential: Credential) => {
    for (const secret of credential.secrets) seen.set(secret.reveal(), secret);
    return credential;
  };
  return {
    fetch: async (input, init = {}) => {
      const url = URL.parse(input instanceof Request ? input.url : String(input));
      // What is no URL is refused below, and gets nothing.
      if (!url) return await fetch(input, init);
      requireHost(name, url, hosts);
      return await authorized(fetch, input, { ...init, authorization, noted, origin: url.origin });
    },
    hide: (text) => withoutSecrets(text, seen.values()),
  };
}

async function openOf({ declared, find }: ConnectOptions, name: string) {
  const declaration = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (!declaration) throw new NodeError('connection.missing', `The flow declares no connection "${name}".`);
  const connection = await find(name, declaration).catch((cause: unknown) => {
    throw new NodeError('connection.unavailable', `The connection "${name}" cannot be read.`, { cause });
  });
  if (connection?.value.type !== declaration.type) {
    const kind = connection ? `has another type than ${declaration.type}` : 'has no value';
    throw new NodeError('connection.missing', `The connection "${name}" ${kind}.`);
  }
  return { connection, hosts: [declaration.hosts, connection.value.hosts] };
}

function requireHost(name: string, url: URL, hosts: readonly (readonly string[])[]): void {
  if (hosts.every((allowed) => isListed(url, allowed))) return;
  throw new NodeError('connection.host', `The connection "${name}" is not for the host ${url.host}.`);
}

interface AuthorizedInit extends NonNullable<Parameters<GuardedFetch>[1]> {
  readonly authorization: Authorization;
  /** Remembers what is sent, to find it in answers. */
  readonly noted: (credential: Credential) => Credential;
  readonly origin: string;
}

/** Once more with another credential when the host that got the first refuses it. A body that can be read only once cannot be sent again. */
async function authorized(
  fetch: GuardedFetch,
  input: Parameters<GuardedFetch>[0],
  { authorization, noted, origin, ...init }: AuthorizedInit,
): Promise<Response> {
  const { add, renew } = authorization;
  const first = noted(await add());
  const response = await fetch(input, { ...init, credential: first });
  const isRefused = response.status === 401 && URL.parse(response.url)?.origin === origin;
  const canRepeat = !(input instanceof Request) && !(init.body instanceof ReadableStream);
  if (!isRefused || !renew || !canRepeat) return response;
  await response.body?.cancel();
  return await fetch(input, { ...init, credential: noted(await renew(first)) });
}
