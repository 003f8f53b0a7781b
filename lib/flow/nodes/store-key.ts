// Keys of values that outlive a run, as nodes write them, and how long they are kept.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

export const keepDays = /* @__PURE__ */ lazy(() =>
  z.int().min(1).max(limits.storeDaysMax).optional().meta({
    description: 'Days after which it expires, counted from the last write.',
    default: limits.storeDaysDefault,
  }),
);

/** Throws `store.bad_key`. */
export function requireKey(value: Json): string {
  if (typeof value === 'string' || typeof value === 'number') {
    const key = String(value);
    if (key !== '' && key.length <= limits.storeKeyChars && key.isWellFormed() && !/\p{Cc}/u.test(key))
      return key;
  }
  throw new NodeError(
    'store.bad_key',
    `The key must be a text of 1 to ${limits.storeKeyChars} characters without control characters.`,
  );
}
