// Revokes an API key: from now on in this process, within the memory of the verifier (45 s) in all others.

import { forgetApiKey } from '#lib/access/api-key.ts';
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { markRevoked, readKey } from './key-items.ts';
import { isOwnKey } from './own-key.ts';

/** A key that is revoked already is so again. Missing keys and those of others answer alike. */
export async function revokeKey(caller: Caller, id: string, at: string): Promise<void> {
  const key = await readKey(id);
  if (!key || !isOwnKey(caller, key)) {
    throw new ServiceError('api_key_not_found', { detail: `There is no API key ${id}.` });
  }
  if (key.revoked_at === undefined) await markRevoked(id, at);
  forgetApiKey(id);
}
