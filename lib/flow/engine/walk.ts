// The way of one cursor: from node to node, a snapshot after each, until its scope is over or stands still.

import { type WalkEnd, yields } from './run.ts';
import type { Cursor } from './scope.ts';
import { untilStopped } from './stop.ts';
import { visit } from './visit.ts';

/** Undefined when the scope stands still: at a pause, or because the invocation is over. */
export async function walk(cursor: Cursor): Promise<WalkEnd | undefined> {
  const { run, stop } = cursor;
  while (!cursor.over) {
    const stopped = stop.error();
    if (stopped) throw stopped;
    if (yields(run)) return undefined;
    const hasMoved = await visit(cursor);
    if (!hasMoved) return undefined;
    if (!cursor.over) await untilStopped(stop, run.keep());
  }
  return cursor.over;
}
