// Whether a key that once was good was revoked since. One that merely expired was not.
import { readKeyStatus } from './key-status-items.ts';

export async function isRevoked(id: string): Promise<boolean> {
  return (await readKeyStatus(id))?.revoked_at !== undefined;
}
