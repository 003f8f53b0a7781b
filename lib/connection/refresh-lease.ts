// The lease under which a process uses the refresh token of a stored connection. If the process dies, others
// wait until the lease expires.
import { randomUUID } from 'node:crypto';
import { newPayloadId } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import type { ConnectionOwner, ConnectionValue, StoredConnection } from './connection.ts';
import type { OauthUser } from './credential.ts';
import { encryptConnection } from './encrypted-connection.ts';
import { claimRefresh, keepRefreshed, refuseRefresh, releaseRefresh } from './refresh-lease-items.ts';

/** The right to use the refresh token of a stored value. */
export interface RefreshLease {
  /**
   * Replaces the tokens, unless the connection was stored again meanwhile. False when the table did not
   * answer.
   */
  readonly keep: (credential: OauthUser) => Promise<boolean>;
  /**
   * Marks the value as refused, so that its owner must store it again. False when it was replaced already.
   */
  readonly refuse: (nowMs: number) => Promise<boolean>;
  /** Lets another process try. */
  readonly release: () => Promise<void>;
}

/** A token endpoint has 15 s to answer (`token-endpoint.ts`); the rest is for encrypting and storing. */
const leaseMs = 30_000;

/** Undefined while another process holds it, or when the value was replaced. */
export async function leaseRefresh(
  owner: ConnectionOwner,
  stored: StoredConnection,
  value: ConnectionValue,
  nowMs: number,
): Promise<RefreshLease | undefined> {
  const leased = { owner, stored, holder: randomUUID() };
  if (!(await claimRefresh(leased, nowMs, nowMs + leaseMs))) return undefined;
  const { scope, name } = stored;
  const log = requestLog({ connection: name, orgid: owner.orgid });
  const toReason = (error: unknown) => ({ reason: error instanceof Error ? error.name : 'unknown' });
  return {
    keep: async (credential) => {
      try {
        const sealed = await encryptConnection(owner, scope, name, {
          ...value,
          type: 'oauth_user',
          credential,
        });
        await keepRefreshed(leased, { version: newPayloadId(), sealed });
        return true;
      } catch (error) {
        // The run has its token. Whether the stored refresh token still works depends on the server.
        log.error('refreshed tokens were not kept', toReason(error));
        return false;
      }
    },
    refuse: async (atMs) => {
      try {
        return await refuseRefresh(leased, new Date(atMs).toISOString());
      } catch (error) {
        log.error('a refused connection was not marked', toReason(error));
        return true;
      }
    },
    release: async () => void (await releaseRefresh(leased).catch(() => undefined)),
  };
}
