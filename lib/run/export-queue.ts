// Queues the export of a run that is over. Loaded by runs whose environment has a sink.
import type { Log } from '#lib/log.ts';
import { enqueueDelivery } from './delivery-queue.ts';
import type { StoredRun } from './stored-run.ts';

/**
 * Has a run that is over exported to the sink of its environment. No message is queued before its end, so a process that dies
 * in between leaves a run that is not exported.
 */
export async function enqueueExport(
  { run_id, orgid }: Pick<StoredRun, 'run_id' | 'orgid'>,
  log?: Log,
): Promise<void> {
  try {
    await enqueueDelivery({ kind: 'export', run_id, orgid, attempt: 0, wait_seconds: 0 });
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log?.warn('the export of a run was not queued', { run_id, reason });
  }
}
