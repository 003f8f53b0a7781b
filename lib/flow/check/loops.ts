// Warns about loops without an exit: only an error or a limit ends a run that has entered one.
import { pointerTo } from '#lib/json/pointer.ts';
import { findComponents } from '../definition/components.ts';
import { hasNext } from '../definition/node-types.ts';
import { findDeadCases } from './cases.ts';
import { findTargets } from './graph.ts';
import type { Warning } from './mistake.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';

const detail =
  'no path leads out of this loop: expected one to an `end`, a `fail` or a node without `next`. Only an error or a limit ends a run that has entered it';

export const findLoopWarnings = (blocks: readonly ReadBlock[]): readonly Warning[] =>
  blocks.flatMap(({ nodes }) => {
    const edges = new Map([...nodes].map(([id, read]) => [id, findEdges(read)]));
    const edgesFrom = (id: string) => edges.get(id) ?? [];
    const hasExit = (ids: ReadonlySet<string>) =>
      [...ids].some((id) => endsScope(nodes.get(id)) || edgesFrom(id).some((next) => !ids.has(next)));
    return findComponents(nodes.keys(), edgesFrom).flatMap(({ ids, isLoop }): Warning[] => {
      if (!isLoop || hasExit(ids)) return [];
      const first = [...nodes].find(([id]) => ids.has(id))?.[1];
      return first ? [{ pointer: pointerTo(first.path), code: 'loop_without_end', detail }] : [];
    });
  });

/** The nodes to which a run may continue. */
function findEdges(read: ReadNode): readonly string[] {
  if (!read.node) return [];
  const dead = new Set(findDeadCases(read.node).map(({ path }) => path.join('/')));
  return findTargets(read).flatMap(({ path, id }) => (dead.has(path.slice(0, 2).join('/')) ? [] : [id]));
}

/** Whether the scope ends after the node, unless the node fails. */
const endsScope = (read: ReadNode | undefined) =>
  read?.node !== undefined && hasNext(read.node.type) && !('next' in read.node);
