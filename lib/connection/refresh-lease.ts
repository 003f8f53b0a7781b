// The lease under which a process spends the refresh token of a stored value. One that dies with it keeps the others waiting until it runs out.
import { randomUUID } from 'node:crypto';
import { newPayloadId } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import type { Place, Sealed, StoredConnection } from './connection.ts';
import type { OauthUser } from './credential.ts';
import { sealConnection } from './encrypted-connection.ts';
import { claimRefresh, keepRefreshed, refuseRefresh, releaseRefresh } from './refresh-lease-items.ts';

/** The right to spend the refresh token of a value. */
export interface RefreshLease {
  /** Stores tokens in place of those they came from, and never over what somebody has stored meanwhile. False when the table did not answer. */
  readonly keep: (credential: OauthUser) => Promise<boolean>;
  /** Marks the value as one that only its owner can replace. False when it was replaced already. */
  readonly refuse: (nowMs: number) => Promise<boolean>;
  /** Lets the next one try. */
  readonly release: () => Promise<void>;
}

/** A token endpoint has 15 s to answer (`token-endpoint.ts`); the rest is for sealing and storing. */
const leaseMs = 30_000;

/** Undefined when it cannot be had. */
export async function leaseRefresh(
  place: Place,
  stored: StoredConnection,
  value: Sealed,
  nowMs: number,
): Promise<RefreshLease | undefined> {
  const leased = { place, stored, holder: randomUUID() };
  if (!(await claimRefresh(leased, nowMs, nowMs + leaseMs))) return undefined;
  const { scope, name } = stored;
  const log = requestLog({ connection: name, orgid: place.orgid });
  const reasonOf = (error: unknown) => ({ reason: error instanceof Error ? error.name : 'unknown' });
  return {
    keep: async (credential) => {
      try {
        const sealed = await sealConnection(place, scope, name, { ...value, type: 'oauth_user', credential });
        await keepRefreshed(leased, { version: newPayloadId(), sealed });
        return true;
      } catch (error) {
        // The run has its token; whether others find a refresh token that is still good, the server decides.
        log.error('refreshed tokens were not kept', reasonOf(error));
        return false;
      }
    },
    refuse: async (atMs) => {
      try {
        return await refuseRefresh(leased, new Date(atMs).toISOString());
      } catch (error) {
        log.error('a refused connection was not marked', reasonOf(error));
        return true;
      }
    },
    release: async () => void (await releaseRefresh(leased).catch(() => undefined)),
  };
}
