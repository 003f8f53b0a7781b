// What a process remembers of tokens that it has checked, by their hashes: a repeated token costs one SHA-256 and no
// call.
import { hash as digest } from 'node:crypto';
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Caller } from './caller.ts';
import { rootOf } from './principal.ts';

/**
 * A token that was revoked is refused everywhere after this and the time of a request: below the 60 s that are
 * promised.
 */
const rememberedMs = 45_000;

interface CheckedToken {
  /** Of the key, or of the grant of an access token. */
  readonly id: string;
  /** Undefined if what the token depends on was revoked. */
  readonly caller: Caller | undefined;
  /** Of the token, in seconds since 1970. */
  readonly expiresAt: number;
}

/** `check` verifies the signature first, so that no other token causes a read. */
export function rememberTokens(check: (token: string) => Promise<CheckedToken>) {
  const remembered = boundedMap<string, Pick<CheckedToken, 'id' | 'caller'>>({
    entriesMax: 1_000,
    keptMs: rememberedMs,
  });
  const checkAnew = async (token: string, hash: string) => {
    const { expiresAt, ...checked } = await check(token);
    const keptMs = Math.min(rememberedMs, Math.max(1, expiresAt * 1_000 - Date.now()));
    remembered.set(hash, checked, Date.now() + keptMs);
    return checked;
  };
  return {
    /** Every reason for refusal looks the same to the caller; the cause is for the log. */
    verify: async (token: string): Promise<Caller> => {
      const hash = digest('sha256', token, 'base64');
      const { caller, id } = remembered.get(hash) ?? (await checkAnew(token, hash));
      if (caller) return caller;
      throw new ServiceError('unauthenticated', { cause: `${id} was revoked, or does not exist.` });
    },
    /** Makes this process ask again. */
    forget: (id: string): void => {
      for (const [hash, known] of remembered.entries()) if (known.id === id) remembered.delete(hash);
    },
    /** The same about all tokens that go back to a principal. */
    forgetAllOf: (root: string): void => {
      for (const [hash, { caller }] of remembered.entries())
        if (caller && rootOf(caller) === root) remembered.delete(hash);
    },
  };
}
