// The values that outlive a run, as its nodes read and write them. A context is named by its caller and its id,
// so nobody reaches the conversation of another caller.
import { createHash } from 'node:crypto';
import { isTransientFailure } from '#lib/aws.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { StoreKey, StorePort } from '#lib/flow/ports/store.ts';
import { lazy } from '#lib/lazy.ts';
import type { StoredRun } from './stored-run.ts';

/** `flowid` is that of the flow whose nodes use it, which a run may have called. */
export function createStorePort(run: StoredRun, flowid: string): StorePort {
  const owner = { ...run, flowid };
  const context = lazy(() => ({ key: contextKey(run), ...describeContext(run) }));
  const resolve = <K extends StoreKey>(key: K): K =>
    key.space === 'context' ? { ...key, ...context() } : key;
  return {
    hasContext: run.trigger === 'a2a',
    read: async (key) =>
      await withStore(async ({ readValue }) => await readValue(owner, resolve(key), Date.now())),
    write: async (write) =>
      await withStore(async ({ writeValue }) => await writeValue(owner, resolve(write), Date.now())),
  };
}

/** Loaded by the first flow that stores something. */
async function withStore<T>(use: (store: typeof import('./stored-value.ts')) => Promise<T>): Promise<T> {
  try {
    return await use(await import('./stored-value.ts'));
  } catch (cause) {
    if (!isTransientFailure(cause)) throw cause;
    throw new NodeError('store.unavailable', 'The store does not answer. Try again later.', { cause });
  }
}

/** Callers of other organisations are not named. */
const describeContext = ({ orgid, caller_orgid, caller_id, context_id }: StoredRun) => ({
  context_id,
  ...(caller_orgid === orgid && { created_by: caller_id }),
});

const contextKey = ({ caller_orgid, caller_id, context_id }: StoredRun): string =>
  createHash('sha256')
    .update(JSON.stringify([caller_orgid, caller_id, context_id]))
    .digest('base64url');
