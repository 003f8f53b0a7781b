// Finds the connections that a flow declares and that have no stored value. It runs before the first node, so
// that a run does not stop halfway.
import { awsLimits } from '#lib/aws-limits.ts';
import {
  type ConnectionDeclaration,
  type ConnectionScope,
  type DeclaredConnections,
  resolveScope,
} from '#lib/flow/format/connection.ts';
import type { ConnectionOwner } from './connection.ts';
import { readTypes } from './connection-items.ts';
import { connectionKey } from './connection-key.ts';

export interface MissingConnection extends ConnectionDeclaration {
  readonly name: string;
  readonly scope: ConnectionScope;
}

const batchMax = awsLimits.dynamoBatchGetItems;

/**
 * One DynamoDB call for up to 100 declarations, no call for none. A value of another type, or one whose token
 * endpoint refused it, counts as missing.
 */
export async function missingConnections(
  declared: DeclaredConnections | undefined,
  owner: ConnectionOwner,
): Promise<MissingConnection[]> {
  const requested = Object.entries(declared ?? {}).map(([name, declaration]) => {
    const scope = resolveScope(declaration);
    return { wanted: { ...declaration, name, scope }, key: connectionKey(owner, scope, name) };
  });
  const missing: MissingConnection[] = [];
  for (let next = 0; next < requested.length; next += batchMax) {
    const batch = requested.slice(next, next + batchMax);
    const types = await readTypes(batch.map(({ key }) => key));
    missing.push(
      ...batch.filter(({ wanted, key }) => types.get(key.sk) !== wanted.type).map(({ wanted }) => wanted),
    );
  }
  return missing;
}
