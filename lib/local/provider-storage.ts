// What the local identity provider keeps while it runs: sign-ins in progress, codes and sessions.
import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Kept {
  readonly payload: AdapterPayload;
  readonly until: number;
}

/** Of one run; the name of the model is part of each key. */
export function newProviderStorage(): (model: string) => Adapter {
  const items = new Map<string, Kept>();
  const find = (isWanted: (payload: AdapterPayload) => boolean, model: string) =>
    [...items].find(([key, kept]) => key.startsWith(`${model}:`) && isWanted(kept.payload))?.[1].payload;
  const removeExpired = (nowMs: number) => {
    for (const [key, { until }] of items) if (until < nowMs) items.delete(key);
  };
  return (model) => ({
    upsert: async (id, payload, expiresIn) => {
      removeExpired(Date.now());
      items.set(`${model}:${id}`, { payload, until: Date.now() + (expiresIn ?? 3_600) * 1_000 });
    },
    find: async (id) => items.get(`${model}:${id}`)?.payload,
    findByUid: async (uid) => find((payload) => payload.uid === uid, model),
    findByUserCode: async (userCode) => find((payload) => payload.userCode === userCode, model),
    consume: async (id) => {
      const kept = items.get(`${model}:${id}`);
      if (kept) kept.payload.consumed = Math.floor(Date.now() / 1_000);
    },
    destroy: async (id) => void items.delete(`${model}:${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, { payload }] of items) if (payload.grantId === grantId) items.delete(key);
    },
  });
}
