// Which of the connections that a flow declares have no value to run with: asked before the first node, so that nothing is done by half.
import { awsLimits } from '#lib/aws-limits.ts';
import {
  type ConnectionDeclaration,
  type ConnectionScope,
  type DeclaredConnections,
  scopeOf,
} from '#lib/flow/format/connection.ts';
import type { Place } from './connection.ts';
import { readTypes } from './connection-items.ts';
import { connectionKey } from './keys.ts';

export interface MissingConnection extends ConnectionDeclaration {
  readonly name: string;
  readonly scope: ConnectionScope;
}

const batchMax = awsLimits.dynamoBatchGetItems;

/** One DynamoDB call for up to a hundred declarations, none for none. A value of another type, or one that its token endpoint has refused, is as good as none. */
export async function missingConnections(
  declared: DeclaredConnections | undefined,
  place: Place,
): Promise<MissingConnection[]> {
  const asked = Object.entries(declared ?? {}).map(([name, declaration]) => {
    const scope = scopeOf(declaration);
    return { wanted: { ...declaration, name, scope }, key: connectionKey(place, scope, name) };
  });
  const missing: MissingConnection[] = [];
  for (let next = 0; next < asked.length; next += batchMax) {
    const some = asked.slice(next, next + batchMax);
    const types = await readTypes(some.map(({ key }) => key));
    missing.push(
      ...some.filter(({ wanted, key }) => types.get(key.sk) !== wanted.type).map(({ wanted }) => wanted),
    );
  }
  return missing;
}
