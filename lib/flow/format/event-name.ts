// The names of events for which runs wait, and their correlation keys: what `wait` and whoever sends an event say.
import { limits } from './limits.ts';

export const eventNamePattern = /^[A-Za-z0-9_.:/-]{1,100}$/;
export const eventNameExpected = 'expected 1 to 100 letters, digits and any of . _ : / -';

/** Numbers and texts that look the same are the same key. Undefined for anything else, and for texts that are no key. */
export function readEventKey(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const key = String(value);
  const isKey =
    key !== '' && key.length <= limits.eventKeyChars && key.isWellFormed() && !/\p{Cc}/u.test(key);
  return isKey ? key : undefined;
}

export const eventKeyExpected = `expected a text of 1 to ${limits.eventKeyChars} characters without control characters, or a number`;
