// The warnings about a flow that depend on its tenant and its workspace: models and flows that do not exist there.
import { optionalEnv } from '#lib/env.ts';
import { toBodyPointer } from '#lib/flow/check/accept-flow.ts';
import type { FlowWarning } from '#lib/flow/check/warning.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';

/** The row has been stored: if what it names cannot be read, its warnings are left out. */
export async function findRegistrationWarnings(
  row: StoredRow,
  flow: Flow,
  log: Log,
): Promise<readonly FlowWarning[]> {
  const [{ parseTenantModels }, { findUnknownModels }, { findUnknownFlows }] = await Promise.all([
    import('#lib/model/catalog.ts'),
    import('#lib/model/unknown-models.ts'),
    import('#lib/registry/unknown-flows.ts'),
  ]);
  const tenant = parseTenantModels(optionalEnv('MODELS'), optionalEnv('MODEL_DEFAULT'));
  const flows = await findUnknownFlows(row, flow).catch((error: unknown) => {
    log.warn('the flows that a build calls were not read', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return [];
  });
  return [...findUnknownModels(flow, tenant), ...flows].map(toBodyPointer);
}
