// Counts a run once its end is stored, however it ended: the metric `Runs`.
import { count } from '#lib/metrics.ts';
import type { RunStatus, StoredRun } from './stored-run.ts';

export function countEnd({ trigger }: Pick<StoredRun, 'trigger'>, status: RunStatus): void {
  count('Runs', { trigger, status });
}
