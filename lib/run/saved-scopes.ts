// In which nodes an execution was, and which of these nodes a test must not execute.
import type { Nodes } from './saved-flow.ts';
import { needsMock } from './saved-flow.ts';
import type { NodeVisit } from './visited-path.ts';

/** A node around an execution, and which of its branches or items. */
interface Around {
  readonly node: string;
  readonly child: string;
}

/** From the outside in. A scope has node, visit and child of each node around it, with dots between them. */
export function readScope(scope: string | undefined): readonly Around[] {
  const parts = scope === undefined ? [] : scope.split('.');
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, n) => ({
    node: parts[3 * n] ?? '',
    child: parts[3 * n + 2] ?? '',
  }));
}

/** The item of the innermost `map`. */
export function itemOf(around: readonly Around[], nodes: Nodes): number | undefined {
  const each = around.findLast(({ node }) => isMap(node, nodes));
  return each && Number(each.child);
}

/**
 * Nodes that get a mock of their own in place of the nodes inside: maps in maps, where an item has no number of its
 * own, and nodes in which something was canceled, because that depends on which of them is done first.
 */
export function findHosts(nodes: Nodes, visits: readonly NodeVisit[]): ReadonlySet<string> {
  const hosts = new Set<string>();
  for (const { scope, status } of visits) {
    const around = readScope(scope);
    const [outermost] = around;
    const isNested = around.filter(({ node }) => isMap(node, nodes)).length > 1;
    if (outermost && (isNested || status === 'canceled' || status === 'running')) hosts.add(outermost.node);
  }
  return hosts;
}

/** Whether a test does not execute what is in the scope, since a node around it has a mock. */
export const isInside = (scope: string | undefined, nodes: Nodes, hosts: ReadonlySet<string>): boolean =>
  readScope(scope).some(({ node }) => hosts.has(node) || needsMock(nodes.get(node) ?? {}));

const isMap = (id: string, nodes: Nodes): boolean => nodes.get(id)?.type === 'map';
