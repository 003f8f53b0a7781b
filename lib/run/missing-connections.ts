// The connections that a run needs before it can begin and that have no value yet: how they are found, and
// how callers learn of them.
import { requireEnv } from '#lib/env.ts';
import type { ConnectionNeed } from '#lib/flow/engine/run-flow.ts';
import { type DeclaredConnections, resolveScope } from '#lib/flow/format/connection.ts';
import type { RunNeeds } from './run-needs.ts';
import type { StoredRun } from './stored-run.ts';

/**
 * The names of the declared connections that have no value. Without declared connections nothing is loaded or
 * read.
 */
export async function findMissing(
  { orgid, workspaceid, caller_id: user }: Pick<StoredRun, 'orgid' | 'workspaceid' | 'caller_id'>,
  declared: DeclaredConnections,
): Promise<readonly string[]> {
  if (Object.keys(declared).length === 0) return [];
  const { missingConnections } = await import('#lib/connection/missing.ts');
  const missing = await missingConnections(declared, { orgid, workspaceid, user });
  return missing.map(({ name }) => name);
}

export function toRunNeeds(
  run: Pick<StoredRun, 'run_id' | 'a2aregistryid'>,
  needs: readonly ConnectionNeed[],
): RunNeeds {
  return {
    configuration_url: configurationUrl(run),
    connections: needs.map((need) => ({ ...need, scope: resolveScope(need) })),
  };
}

/** Without a token, which `configuration-link.ts` adds for the principal of the run. */
export function configurationUrl({
  run_id,
  a2aregistryid,
}: Pick<StoredRun, 'run_id' | 'a2aregistryid'>): string {
  const query = new URLSearchParams({ registry_id: a2aregistryid, task_id: run_id });
  return `${requireEnv('GATEWAY_URL')}/public/agent-config?${query}`;
}

const owners = { organization: 'of the organisation', user: 'of the caller' } as const;

export function describeNeeds({ connections }: Pick<RunNeeds, 'connections'>): string {
  const names = connections.map(({ connection, scope, label }) =>
    label === undefined ? `${connection} (${owners[scope]})` : `${connection} (${label}, ${owners[scope]})`,
  );
  return `The flow needs connections that are not stored: ${names.join(', ')}.`;
}
