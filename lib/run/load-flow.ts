// The flow of a build, opened, parsed and compiled; remembered by this process, so that a warm call needs no KMS and no table.
// It passed all checks when it was registered, so the language of its expressions is not loaded until one needs it.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '#lib/errors.ts';
import { type CompiledFlow, compileFlow } from '#lib/flow/compile.ts';
import { type Flow, flowSchema } from '#lib/flow/flow.ts';
import { openFlow } from '#lib/registry/payload/flow-payload.ts';
import type { StoredRow } from '#lib/registry/stored.ts';

const cache = new LRUCache<string, CompiledFlow>({ max: 100, ttl: 5 * 60_000 });

export async function loadFlow(row: StoredRow): Promise<CompiledFlow> {
  const known = cache.get(row.payload_id);
  if (known) return known;
  const compiled = compileFlow(await parsedFlow(row));
  cache.set(row.payload_id, compiled);
  return compiled;
}

/** As it was registered. */
export async function parsedFlow(row: StoredRow): Promise<Flow> {
  const parsed = flowSchema.safeParse(await openFlow(row));
  if (parsed.success) return parsed.data;
  throw new ServiceError('payload_unreadable', { cause: parsed.error });
}
