// Which connections of a flow have no value for a run: asked before its first node.
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import type { StoredRun } from './stored-run.ts';

/** Nothing is loaded or read for a flow without connections. */
export async function missingNames(
  { orgid, workspaceid, caller_id: user }: Pick<StoredRun, 'orgid' | 'workspaceid' | 'caller_id'>,
  declared: DeclaredConnections,
): Promise<readonly string[]> {
  if (Object.keys(declared).length === 0) return [];
  const { missingConnections } = await import('#lib/connection/missing.ts');
  const missing = await missingConnections(declared, { orgid, workspaceid, user });
  return missing.map(({ name }) => name);
}
