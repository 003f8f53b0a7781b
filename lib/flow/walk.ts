// The way of one cursor: from node to node, a snapshot after each, until its scope is over or stands still.
import type { Cursor } from './cursor.ts';
import { type WalkEnd, yields } from './run.ts';
import { untilStopped } from './stop.ts';
import { visit } from './visit.ts';

/** Undefined when the scope stands still: at a pause, or because the invocation is over. */
export async function walk(cursor: Cursor): Promise<WalkEnd | undefined> {
  const { run, stop } = cursor;
  for (;;) {
    const stopped = stop.error();
    if (stopped) throw stopped;
    if (yields(run)) return undefined;
    const went = await visit(cursor);
    if (!went) return undefined;
    const { next, output, ending } = went;
    if (next === undefined) return { output, ending };
    cursor.node = next;
    await untilStopped(stop, run.keep());
  }
}
