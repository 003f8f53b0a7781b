// Checks that a node may use a connection: the flow declares it, and it is for that host.
import { findAwsScope } from '../format/aws-scope.ts';
import { isListed } from '../format/egress.ts';
import { someNames, suggesting } from '../format/some-names.ts';
import type { CheckSurroundings } from './node-type.ts';

/**
 * Describes the mistake; undefined if there is none. An address that is not a URL, such as a registry id, has
 * no host to check.
 */
export function connectionProblem(
  name: string | undefined,
  address: string,
  { connections, findNearName }: Pick<CheckSurroundings, 'connections' | 'findNearName'>,
): string | undefined {
  if (name === undefined) return undefined;
  const declared = Object.hasOwn(connections, name) ? connections[name] : undefined;
  if (!declared) {
    const known = Object.keys(connections);
    const expected = suggesting(findNearName(name, known), `expected ${describeChoices(known)}`);
    return `unknown connection "${name}": ${expected}`;
  }
  const url = URL.parse(/^[a-z]+:\/\/[^/?#{]+/i.exec(address)?.[0] ?? '');
  if (!url) return undefined;
  const problem = `the connection "${name}" is not for the host ${url.host}: expected`;
  if (!isListed(url, declared.hosts)) return `${problem} it in the \`hosts\` of the connection`;
  if (!declared.aws || findAwsScope(url.hostname, declared.aws)) return undefined;
  return `${problem} its service and region in \`aws\` of the connection`;
}

const describeChoices = (names: readonly string[]) =>
  names.length > 0 ? `one of ${someNames(names)}` : 'none, because the flow declares no `connections`';
