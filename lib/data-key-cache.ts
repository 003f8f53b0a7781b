// Data keys that a process keeps for a while, so that what is small and frequent, such as the inputs of runs,
// does not cost a KMS call each. A key encrypts for five minutes and a thousand messages at most (as the
// caching of the AWS Encryption SDK is bounded), and serves one encryption context alone. What distinguishes
// its messages is in the associated data of each: every message has keys of its own, derived with its IV.
import { type BoundedMap, boundedMap } from '#lib/bounded-map.ts';
import {
  type DataKey,
  decryptDataKey,
  decryptWith,
  type EncryptionContext,
  encryptWith,
  newDataKey,
} from './envelope.ts';

const keptMs = 5 * 60_000;
const keysMax = 1_000;

/**
 * What a message is bound to beside the context of its data key, such as the item and the attribute that hold
 * it.
 */
type Binding = EncryptionContext;

export interface DataKeyCache {
  /** No KMS call, or one for a new data key. */
  readonly encrypt: (plain: string, context: EncryptionContext, binding: Binding) => Promise<Uint8Array>;
  /**
   * No KMS call, or one for a data key that this process has not seen. Throws `payload_unreadable` where
   * context or binding are others.
   */
  readonly decrypt: (bytes: Uint8Array, context: EncryptionContext, binding: Binding) => Promise<string>;
}

interface KeyInUse {
  readonly key: Promise<DataKey>;
  messages: number;
}

interface CacheBounds {
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** Encrypted under one key. */
  readonly messagesMax: number;
}
const defaults: CacheBounds = { now: () => performance.now(), messagesMax: 1_000 };

export function createDataKeyCache({ now, messagesMax } = defaults): DataKeyCache {
  const bounds = { entriesMax: keysMax, keptMs, now };
  const inUse = boundedMap<string, KeyInUse>(bounds);
  const decrypted = boundedMap<string, Promise<Uint8Array>>(bounds);

  const keyFor = async (context: EncryptionContext): Promise<DataKey> => {
    const name = cacheKey(context);
    const known = inUse.get(name);
    if (known && known.messages < messagesMax) {
      known.messages += 1;
      return await known.key;
    }
    const key = newDataKey(context);
    inUse.set(name, { key, messages: 1 });
    const made = await forgetIfRejected(inUse, name, key);
    decrypted.set(cacheKey(context, made.wrapped), Promise.resolve(made.plain));
    return made;
  };

  const decryptedKey = async (wrapped: Uint8Array, context: EncryptionContext): Promise<Uint8Array> => {
    // The context is part of the name, as a key that is known here is not shown to KMS, which would compare
    // it.
    const name = cacheKey(context, wrapped);
    const known = decrypted.get(name);
    if (known !== undefined) return Uint8Array.from(await known);
    const key = decryptDataKey(wrapped, context);
    decrypted.set(name, key);
    return Uint8Array.from(await forgetIfRejected(decrypted, name, key));
  };

  return {
    encrypt: async (plain, context, binding) =>
      await encryptWith(await keyFor(context), plain, { ...context, ...binding }),
    decrypt: async (bytes, context, binding) =>
      await decryptWith((wrapped) => decryptedKey(wrapped, context), bytes, { ...context, ...binding }),
  };
}

/** A failure of KMS is not cached: the next message calls KMS again. */
async function forgetIfRejected<T>(
  cache: Pick<BoundedMap<string, unknown>, 'delete'>,
  name: string,
  key: Promise<T>,
): Promise<T> {
  try {
    return await key;
  } catch (error) {
    cache.delete(name);
    throw error;
  }
}

function cacheKey(context: EncryptionContext, wrapped?: Uint8Array): string {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([pairs, wrapped && Buffer.from(wrapped).toString('base64')]);
}
