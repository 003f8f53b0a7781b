// The flow of a build, opened, checked and compiled; remembered by this process, so that a warm call needs no KMS and no table.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '#lib/errors.ts';
import { checkFlow } from '#lib/flow/check.ts';
import { type CompiledFlow, compileFlow } from '#lib/flow/compile.ts';
import { openFlow } from '#lib/registry/payload/flow-payload.ts';
import type { StoredRow } from '#lib/registry/stored.ts';

const cache = new LRUCache<string, CompiledFlow>({ max: 100, ttl: 5 * 60_000 });

export async function loadFlow(row: StoredRow): Promise<CompiledFlow> {
  const known = cache.get(row.payload_id);
  if (known) return known;
  const checked = checkFlow(await openFlow(row));
  if (!checked.ok)
    throw new ServiceError('payload_unreadable', {
      cause: 'The stored flow does not pass the checks any more.',
    });
  const compiled = compileFlow(checked.flow);
  cache.set(row.payload_id, compiled);
  return compiled;
}
