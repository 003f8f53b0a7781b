// The pause of an execution, as snapshots have it: how it begins, and how it ends.
import type { Pause, ResumeReason } from './pause.ts';
import { addReceived } from './received-events.ts';
import type { Run } from './run.ts';
import { type Cursor, drop, keepSize, type NodeExecution } from './scope.ts';
import { questionId } from './snapshot.ts';

export function keepPause(cursor: Cursor, execution: NodeExecution, pause: Pause): void {
  const kept = completed(cursor.run, execution.key, pause);
  keepSize(cursor, 'pause', kept);
  execution.pause = kept;
  execution.resumeReason = undefined;
}

function completed(run: Run, key: string, pause: Pause): Pause {
  if (pause.kind === 'input') return numbered(run, key, pause);
  const { count = 0 } = run.received ?? {};
  return pause.kind === 'event' && count > 0 ? { ...pause, received: count } : pause;
}

/**
 * Gives each further question of an execution an id of its own, so that an answer to an earlier one does not
 * fit.
 */
function numbered({ asked }: Run, key: string, pause: Extract<Pause, { kind: 'input' }>): Pause {
  const count = (asked[key] ?? 0) + 1;
  asked[key] = count;
  return count === 1 ? pause : { ...pause, id: questionId(key, count) };
}

/**
 * The answer, or the event, moves from the run to the execution in one step: a scope beside this one may take a
 * snapshot at any time.
 */
export function endPause(cursor: Cursor, execution: NodeExecution, reason: ResumeReason): void {
  const { run } = cursor;
  if (reason.answer && execution.pause?.kind === 'event') receive(run, execution.key);
  else if (reason.answer) run.answer = undefined;
  drop(cursor, 'pause');
  execution.startedAt = run.ports.clock.now();
  execution.storedAt = execution.startedAt;
  execution.pause = undefined;
  execution.resumeReason = reason;
}

function receive(run: Run, key: string): void {
  const event = run.sentEvents.get(key);
  run.sentEvents.delete(key);
  if (event) run.received = addReceived(run.received, event, run.ports.clock.now());
}
