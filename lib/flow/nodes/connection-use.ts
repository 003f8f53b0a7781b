// Whether a node may use a connection where it wants to: the flow declares it, and it is for that host.
import { isListed } from '../format/egress.ts';
import { someNames } from '../format/some-names.ts';
import type { CheckSurroundings } from './node-type.ts';

/** What is wrong, undefined when nothing is. A place that is no URL, such as an agent of the registry, has no host to look at. */
export function connectionProblem(
  name: string | undefined,
  place: string,
  { connections }: Pick<CheckSurroundings, 'connections'>,
): string | undefined {
  if (name === undefined) return undefined;
  const hosts = Object.hasOwn(connections, name) ? connections[name] : undefined;
  if (!hosts) return `unknown connection "${name}": expected ${oneOf(Object.keys(connections))}`;
  const url = URL.parse(/^[a-z]+:\/\/[^/?#{]+/i.exec(place)?.[0] ?? '');
  if (!url || isListed(url, hosts)) return undefined;
  return `the connection "${name}" is not for the host ${url.host}: expected it in the \`hosts\` of the connection`;
}

const oneOf = (names: readonly string[]) =>
  names.length > 0 ? `one of ${someNames(names)}` : 'none, because the flow declares no `connections`';
