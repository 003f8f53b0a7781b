// Loops that no way leads out of: only an error or a limit ends a run that has come there.
import { pointerTo } from '#lib/json/pointer.ts';
import { graphParts } from '../definition/cycles.ts';
import { hasNext } from '../definition/node-types.ts';
import { deadWays } from './cases.ts';
import { targetsOf } from './graph.ts';
import type { Warning } from './mistake.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';

const detail =
  'no way leads out of this loop: expected one to an `end`, a `fail` or a node without `next`. Only an error or a limit ends a run that has come here';

export const loopWarnings = (blocks: readonly ReadBlock[]): readonly Warning[] =>
  blocks.flatMap(({ nodes }) => {
    const ways = new Map([...nodes].map(([id, read]) => [id, waysFrom(read)]));
    const waysOf = (id: string) => ways.get(id) ?? [];
    return graphParts(nodes.keys(), waysOf).flatMap(({ ids, isLoop }): Warning[] => {
      if (
        !isLoop ||
        [...ids].some((id) => endsScope(nodes.get(id)) || waysOf(id).some((way) => !ids.has(way)))
      )
        return [];
      const first = [...nodes].find(([id]) => ids.has(id))?.[1];
      return first ? [{ pointer: pointerTo(first.path), code: 'loop_without_end', detail }] : [];
    });
  });

/** Those that a run may take. */
function waysFrom(read: ReadNode): readonly string[] {
  if (!read.node) return [];
  const dead = new Set(deadWays(read.node).map(({ path }) => path.join('/')));
  return targetsOf(read).flatMap(({ path, id }) => (dead.has(path.slice(0, 2).join('/')) ? [] : [id]));
}

/** Whether its scope is over after it, unless it fails. */
const endsScope = (read: ReadNode | undefined) =>
  read?.node !== undefined && hasNext(read.node.type) && !('next' in read.node);
