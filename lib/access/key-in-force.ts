// Checks whether a key with a valid signature may still be used: one read of the control table, whose result
// the verifier caches.
import { requestLog } from '#lib/log.ts';
import { readKeyStatus, recordUse } from './key-status-items.ts';

interface VerifiedKey {
  readonly id: string;
  /**
   * Created by the API: it has an item, without which it is not valid. A key that was issued offline has an
   * item only if it was revoked.
   */
  readonly isRegistered: boolean;
}

const hourMs = 3_600_000;

export async function isInForce(key: VerifiedKey, now: Date): Promise<boolean> {
  const item = await readKeyStatus(key.id);
  if (!item) return !key.isRegistered;
  if (item.revoked_at !== undefined) return false;
  if (key.isRegistered && now.getTime() - Date.parse(item.last_used_at ?? '1970-01-01') > hourMs) {
    await recordLastUse(key.id, now);
  }
  return true;
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

/** Whether a key was revoked. A key that has expired is not revoked. */
export async function isRevoked(id: string): Promise<boolean> {
  return (await readKeyStatus(id))?.revoked_at !== undefined;
}
