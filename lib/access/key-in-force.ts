// Checks whether a key with a valid signature may still be used, and other principals still act: one read of the
// control table, or two for a key that a user has made. The verifier caches the result.
import { requestLog } from '#lib/log.ts';
import { type Caller, intersectCallers } from './caller.ts';
import { readKeyStatus, recordUse } from './key-status-items.ts';
import { readMember, readMemberOf, toCaller } from './member-items.ts';
import { principalKind, rootOf } from './principal.ts';

interface VerifiedKey {
  readonly id: string;
  /**
   * Created by the API: it has an item, without which it is not valid. A key that was issued offline has an
   * item only if it was revoked.
   */
  readonly isRegistered: boolean;
}

const hourMs = 3_600_000;

export const isInForce = async (key: VerifiedKey, now: Date): Promise<boolean> =>
  (await readKeyInForce(key, now)) !== undefined;

/** When it was created, if it has an item; undefined for a key that may not be used. */
export async function readKeyInForce(
  key: VerifiedKey,
  now: Date,
): Promise<{ readonly created_at?: string | undefined } | undefined> {
  const item = await readKeyStatus(key.id);
  if (!item) return key.isRegistered ? undefined : {};
  if (item.revoked_at !== undefined) return undefined;
  if (key.isRegistered && now.getTime() - Date.parse(item.last_used_at ?? '1970-01-01') > hourMs) {
    await recordLastUse(key.id, now);
  }
  return item;
}

/** Best effort: no request fails because its use could not be recorded. */
async function recordLastUse(id: string, now: Date): Promise<void> {
  try {
    await recordUse(id, now.toISOString());
  } catch (error) {
    requestLog({ caller: id }).warn('the use of a key was not noted', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}

/**
 * A key that goes back to a user may do no more than this user may now. Undefined if the membership under which it was
 * created has ended.
 */
export async function limitToRoot(
  caller: Caller,
  createdAt: string | undefined,
): Promise<Caller | undefined> {
  const root = rootOf(caller);
  if (principalKind(root) !== 'user') return caller;
  if (createdAt === undefined) return undefined;
  const member = await readMemberOf({ userid: root, orgid: caller.orgid, created_at: createdAt });
  return member && intersectCallers(caller, toCaller(member));
}

/**
 * Whether a principal can act no more: a key that was revoked, a user who is no member, and a key that goes back to
 * one. A key that has expired is not revoked.
 */
export async function hasEnded({ id, orgid }: Pick<Caller, 'id' | 'orgid'>): Promise<boolean> {
  if (principalKind(id) === 'user') return (await readMember({ userid: id, orgid })) === undefined;
  const { revoked_at, root = id, created_at = '' } = (await readKeyStatus(id)) ?? {};
  if (revoked_at !== undefined) return true;
  if (principalKind(root) !== 'user') return false;
  return (await readMemberOf({ userid: root, orgid, created_at })) === undefined;
}
