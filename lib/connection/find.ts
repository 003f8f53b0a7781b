// The value of a connection for a run, opened. It stays in the memory of the run and of the requests that carry it.
import { type ConnectionDeclaration, scopeOf } from '#lib/flow/format/connection.ts';
import type { Place, Sealed, StoredConnection } from './connection.ts';
import { readConnection } from './connection-items.ts';
import { openConnection } from './encrypted-connection.ts';
import { leaseRefresh, type RefreshLease } from './refresh-lease.ts';

export interface OpenConnection {
  /** Names this very value in this process. */
  readonly id: string;
  readonly value: Sealed;
  /** Its token endpoint takes it no more: only who owns it can help. */
  readonly isRefused: boolean;
  /** Undefined while another process has the lease, and when this value is not the stored one any more. */
  readonly claimRefresh: (nowMs: number) => Promise<RefreshLease | undefined>;
  /** As it is stored now; undefined when it is not. */
  readonly readAgain: () => Promise<OpenConnection | undefined>;
}

export type FindConnection = (
  name: string,
  declaration: ConnectionDeclaration,
) => Promise<OpenConnection | undefined>;

/** Two AWS calls: the item and its key. */
export const findIn =
  (place: Place): FindConnection =>
  async (name, declaration) => {
    const stored = await readConnection(place, scopeOf(declaration), name);
    return stored && (await opened(place, stored));
  };

async function opened(place: Place, stored: StoredConnection): Promise<OpenConnection> {
  const value = await openConnection(place, stored);
  const { scope, name, version, refused_at } = stored;
  const connection: OpenConnection = {
    id: `${place.orgid}/${place.workspaceid}/${name}/${version}`,
    value,
    isRefused: refused_at !== undefined,
    claimRefresh: async (nowMs) => await leaseRefresh(place, stored, value, nowMs),
    readAgain: async () => {
      const now = await readConnection(place, scope, name);
      const isSame = now?.version === version && now.refused_at === refused_at;
      return isSame ? connection : now && (await opened(place, now));
    },
  };
  return connection;
}
