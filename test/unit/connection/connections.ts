// Ways out for the tests of the ports: with no connection, or with some that a test gives in place of the
// table of connections.

import { type ConnectionBody, connectionBody } from '#lib/connection/connection.ts';
import { createConnectionFetches, type GetConnectionFetch } from '#lib/connection/connection-fetch.ts';
import type { OpenConnection } from '#lib/connection/find.ts';
import type { RefreshLease } from '#lib/connection/refresh-lease.ts';
import { newTokenMemory, type TokenMemory } from '#lib/connection/token-memory.ts';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import { noNames } from './loopback.ts';

export const call = {
  runId: 'run1',
  key: 'node.1',
  nodeId: 'node',
  visit: 1,
  attempt: 1,
  signal: new AbortController().signal,
};

/** Reaches the given hosts of this machine and nothing else. */
export const fetchTo = (...hosts: string[]): GuardedFetch =>
  createGuardedFetch({ allowPrivate: hosts }, noNames);

interface Values {
  readonly fetch: GuardedFetch;
  /** As a caller of the API writes them. */
  readonly values?: Readonly<Record<string, object>>;
  /** What the flow says of them; by default the same. */
  readonly declared?: DeclaredConnections;
  readonly memory?: TokenMemory;
  /** Whether refreshed tokens can be stored. */
  readonly keeps?: () => boolean;
}

export function connectWith({
  fetch,
  values = {},
  declared,
  memory,
  keeps = () => true,
}: Values): GetConnectionFetch {
  const bodies = Object.entries(values).map(([name, value]) => [name, connectionBody.parse(value)] as const);
  const open = new Map(bodies);
  return createConnectionFetches({
    fetch,
    declared: declared ?? Object.fromEntries(bodies.map(([name, body]) => [name, toDeclaration(body)])),
    memory: memory ?? newTokenMemory(),
    find: async (name) => stored(open, name, keeps),
  });
}

const toDeclaration = (body: ConnectionBody): DeclaredConnections[string] => {
  const { type, hosts } = body;
  if (type !== 'aws_sigv4') return { type, hosts };
  const { services, regions } = body.credential;
  return { type, hosts, aws: { services, regions } };
};

/**
 * A table of connections that one process has for itself: whoever has read the newest value may refresh it.
 */
function stored(
  table: Map<string, ConnectionBody>,
  name: string,
  keeps: () => boolean,
  version = 0,
): OpenConnection | undefined {
  const value = table.get(name);
  if (!value) return undefined;
  const lease: RefreshLease = {
    keep: async (credential) => {
      if (!keeps()) return false;
      table.set(name, { ...value, type: 'oauth_user', credential });
      return true;
    },
    refuse: async () => true,
    release: async () => undefined,
  };
  return {
    id: `${name}/${version}`,
    value,
    owner: { orgid: 'org_unit', workspaceid: 'ws_unit', user: 'key_unit' },
    computeExternalId: async () => `external id of ${name}`,
    isRefused: false,
    claimRefresh: async () => (table.get(name) === value ? lease : undefined),
    readAgain: async () => stored(table, name, keeps, version + 1),
  };
}
