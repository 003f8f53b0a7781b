// What the operator's log says of a run that the service itself has failed. The run's own log and its answer only say that it was so.

import { redacted, shortened } from '#lib/flow/engine/log-preview.ts';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRun } from './stored-run.ts';

type Failure = Extract<Outcome, { status: 'failed' }>['error'];

export function logDefect(log: Log, { run_id }: Pick<StoredRun, 'run_id'>, failure: Failure): void {
  const { node_id, message, cause } = failure;
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause ?? message);
  const stack = cause instanceof Error && cause.stack !== undefined ? shown(cause.stack) : undefined;
  log.error('run failed by a defect', { run_id, node_id, reason: shown(reason), stack });
}

/** An error of any library may quote what it was given. */
const shown = (text: string) => shortened(redacted(text), charsMax);
const charsMax = 4_000;
