// An execution as those see it who watch the run.
import type { Json } from '#lib/json/json.ts';
import type { ExecutionWatch, WatchedExecution } from '../ports/execution-watch.ts';
import { createAttempt } from './attempt.ts';
import type { CompiledNode } from './node-context.ts';
import type { Cursor, NodeExecution } from './scope.ts';

/** Undefined where nobody watches, or may watch. */
export const findWatch = ({ run, isQuiet }: Cursor): ExecutionWatch | undefined =>
  isQuiet ? undefined : run.ports.watch;

export const toWatched = (
  cursor: Cursor,
  node: CompiledNode,
  execution: NodeExecution,
): WatchedExecution => ({
  key: execution.key,
  nodeId: node.id,
  nodeType: node.type,
  scope: cursor.path.slice(0, -1),
  visit: execution.visit,
  holdsText: node.holdsText,
  evaluateFields: () => evaluateFields(cursor, node, execution),
});

/** With the time of an attempt. What the log says of the fields, it says once: when the node is executed. */
async function evaluateFields(cursor: Cursor, node: CompiledNode, execution: NodeExecution): Promise<Json> {
  const { at, time } = createAttempt(cursor, node, execution);
  try {
    return await node.fields()({ ...at, noteKept: undefined });
  } finally {
    time.close();
  }
}
