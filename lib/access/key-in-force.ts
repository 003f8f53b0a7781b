// Whether a key whose signature is good may still be used: one read of the control table, which the verifier
// remembers.
import { requestLog } from '#lib/log.ts';
import { readKeyStatus, recordUse } from './key-status-items.ts';

interface VerifiedKey {
  readonly id: string;
  /**
   * Made by the API, so it has an item: without one it is not in force. A key issued offline has none unless
   * it was revoked.
   */
  readonly isRegistered: boolean;
}

const hourMs = 3_600_000;

export async function isInForce(key: VerifiedKey, now: Date): Promise<boolean> {
  const item = await readKeyStatus(key.id);
  if (!item) return !key.isRegistered;
  if (item.revoked_at !== undefined) return false;
  if (key.isRegistered && now.getTime() - Date.parse(item.last_used_at ?? '1970-01-01') > hourMs) {
    await note(key.id, now);
  }
  return true;
}

/** Best effort: no request fails because its use could not be noted. */
async function note(id: string, now: Date): Promise<void> {
  try {
    await recordUse(id, now.toISOString());
  } catch (error) {
    requestLog({ caller: id }).warn('the use of a key was not noted', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}

/** Whether a key that once was good was revoked since. One that merely expired was not. */
export async function isRevoked(id: string): Promise<boolean> {
  return (await readKeyStatus(id))?.revoked_at !== undefined;
}
