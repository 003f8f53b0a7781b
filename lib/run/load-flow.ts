// The flow of a build, opened and compiled; remembered by this process, so that a warm call needs no KMS and
// no table. It passed all checks when it was registered, so neither the schemas of nodes nor the language of
// expressions is needed here.
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { isStoredFlow } from '#lib/flow/definition/stored-flow.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import { openFlow } from '#lib/registry/flow-payload.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';

const cache = boundedMap<string, CompiledFlow>({ entriesMax: 100, keptMs: 5 * 60_000 });

export async function loadFlow(row: StoredRow): Promise<CompiledFlow> {
  const known = cache.get(row.payload_id);
  if (known) return known;
  const compiled = compileFlow(await storedFlow(row));
  cache.set(row.payload_id, compiled);
  return compiled;
}

/** As it was registered. */
export async function storedFlow(row: StoredRow): Promise<Flow> {
  const opened = await openFlow(row);
  if (isStoredFlow(opened)) return opened;
  throw new ServiceError('payload_unreadable', { cause: 'The flow is of a version that is not known here.' });
}
