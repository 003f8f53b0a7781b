// A fetch that carries the credential of a connection: to the hosts that both its owner and the flow allow, and to no other. The credential
// is added to each request as the last thing, so that redirects, errors and logs are made without it.
import { isListed } from '#lib/flow/egress.ts';
import { NodeError } from '#lib/flow/node-error.ts';
import type { Secret } from '#lib/secret.ts';
import { type Addition, type Authorization, authorizationOf } from './authorization.ts';
import type { Connected, ConnectOptions } from './connect.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { withoutSecrets } from './hidden.ts';
import { headerPairs } from './outgoing-headers.ts';

/** Throws `NodeError` (codes `connection.*`). */
export async function connected(options: ConnectOptions, name: string): Promise<Connected> {
  const { fetch, memory } = options;
  const { connection, hosts } = await openOf(options, name);
  const authorization = authorizationOf({ name, connection, fetch, memory });
  const seen = new Map<string, Secret>();
  const carry = (addition: Addition) => {
    for (const secret of addition.secrets) seen.set(secret.reveal(), secret);
    return addition;
  };
  return {
    fetch: async (input, init = {}) => {
      const url = URL.parse(input instanceof Request ? input.url : String(input));
      // What is no URL is refused below, and gets nothing.
      if (!url) return await fetch(input, init);
      requireHost(name, url, hosts);
      return await authorized(fetch, input, init, authorization, carry);
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

type Input = Parameters<GuardedFetch>[0];
type Init = NonNullable<Parameters<GuardedFetch>[1]>;

/** Once more with another credential when the host refuses the first. A body that can be read only once cannot be sent again. */
async function authorized(
  fetch: GuardedFetch,
  input: Input,
  init: Init,
  { add, renew }: Authorization,
  carry: (addition: Addition) => Addition,
): Promise<Response> {
  const first = carry(await add());
  const response = await fetch(...withAddition(input, init, first));
  const canRepeat = !(input instanceof Request) && !(init.body instanceof ReadableStream);
  if (response.status !== 401 || !renew || !canRepeat) return response;
  await response.body?.cancel();
  return await fetch(...withAddition(input, init, carry(await renew(first))));
}

function withAddition(input: Input, init: Init, { to, name, value }: Addition): [Input, Init] {
  if (to === 'query') {
    const url = new URL(input instanceof Request ? input.url : input);
    url.searchParams.set(name, value.reveal());
    return [input instanceof Request ? new Request(url, input) : url, init];
  }
  const given = headerPairs(init.headers ?? (input instanceof Request ? input.headers : undefined));
  const others = given.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  const headers = others.map(([other, text]): [string, string] => [other, text]);
  headers.push([name, value.reveal()]);
  return [input, { ...init, headers }];
}
