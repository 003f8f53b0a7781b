// The keys of models in Secrets Manager, remembered for a few minutes: a rotated key takes effect without a deployment.

import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Secret } from '#lib/secret.ts';
import { readSecretValue } from './secret-value.ts';

/** How long a key is used without being read again. */
const rememberedMs = 5 * 60_000;
/** How long the last key is used while Secrets Manager is not available, before the next attempt. */
const unavailableMs = 30_000;
/** How long after a key was read a refusal of the provider is a reason to read it again. */
const rereadAfterMs = 10_000;

interface Held {
  readonly key: Secret;
  /** Ms since 1970. */
  readonly readAt: number;
  readonly until: number;
}

export interface SecretKeys {
  /** Throws `NodeError` as `readSecretValue`. */
  readonly find: (name: string) => Promise<Secret>;
  /** The key that has replaced one that the provider refuses; undefined if it is still the same. */
  readonly findNewer: (name: string, refused: Secret) => Promise<Secret | undefined>;
}

export function createSecretKeys(now: () => number): SecretKeys {
  const held = new Map<string, Held>();
  /** Concurrent callers share a request. */
  const pending = new Map<string, Promise<Secret>>();

  const keep = (name: string, key: Secret, ms: number) =>
    void held.set(name, { key, readAt: now(), until: now() + ms });
  const request = async (name: string) => {
    const key = await readSecretValue(name);
    keep(name, key, rememberedMs);
    return key;
  };
  const read = (name: string) => {
    const reading = pending.get(name) ?? request(name).finally(() => pending.delete(name));
    pending.set(name, reading);
    return reading;
  };
  return {
    find: async (name) => {
      const known = held.get(name);
      if (known && known.until > now()) return known.key;
      return await read(name).catch((error: unknown) => {
        if (!known || !isUnavailable(error)) throw error;
        keep(name, known.key, unavailableMs);
        return known.key;
      });
    },
    findNewer: async (name, refused) => {
      const known = held.get(name);
      const isOther = (key: Secret) => key.reveal() !== refused.reveal();
      if (known && isOther(known.key)) return known.key;
      if (known && now() - known.readAt < rereadAfterMs) return undefined;
      // The caller reports the refusal of the provider instead.
      const key = await read(name).catch(() => undefined);
      return key && isOther(key) ? key : undefined;
    },
  };
}

const isUnavailable = (error: unknown) => error instanceof NodeError && error.code === 'model.unavailable';
