// Reads and decrypts a connection for a run. The value stays in the memory of the run and of its requests.
import { type ConnectionDeclaration, resolveScope } from '#lib/flow/format/connection.ts';
import type { ConnectionOwner, ConnectionValue, StoredConnection } from './connection.ts';
import { readConnection } from './connection-items.ts';
import { decryptConnection } from './encrypted-connection.ts';
import { computeExternalId } from './external-id.ts';
import { leaseRefresh, type RefreshLease } from './refresh-lease.ts';

export interface OpenConnection {
  /** Identifies this value in this process. */
  readonly id: string;
  readonly value: ConnectionValue;
  readonly owner: ConnectionOwner;
  /** What the trust policy of a role of AWS requires. */
  readonly computeExternalId: () => Promise<string>;
  /** The token endpoint has refused it: its owner must store it again. */
  readonly isRefused: boolean;
  /** Undefined while another process holds the lease, and when the stored value is a newer one. */
  readonly claimRefresh: (nowMs: number) => Promise<RefreshLease | undefined>;
  /** Reads the stored value again; undefined when it was deleted. */
  readonly readAgain: () => Promise<OpenConnection | undefined>;
}

export type FindConnection = (
  name: string,
  declaration: ConnectionDeclaration,
) => Promise<OpenConnection | undefined>;

/** Two AWS calls: the item and its key. */
export const createConnectionFinder =
  (owner: ConnectionOwner): FindConnection =>
  async (name, declaration) => {
    const stored = await readConnection(owner, resolveScope(declaration), name);
    return stored && (await decryptStored(owner, stored));
  };

async function decryptStored(owner: ConnectionOwner, stored: StoredConnection): Promise<OpenConnection> {
  const value = await decryptConnection(owner, stored);
  const { scope, name, version, refused_at } = stored;
  const connection: OpenConnection = {
    id: `${owner.orgid}/${owner.workspaceid}/${name}/${version}`,
    value,
    owner,
    computeExternalId: async () => await computeExternalId(owner, scope, name),
    isRefused: refused_at !== undefined,
    claimRefresh: async (nowMs) => await leaseRefresh(owner, stored, value, nowMs),
    readAgain: async () => {
      const now = await readConnection(owner, scope, name);
      const isSame = now?.version === version && now.refused_at === refused_at;
      return isSame ? connection : now && (await decryptStored(owner, now));
    },
  };
  return connection;
}
