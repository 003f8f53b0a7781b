// Cancels a run whose caller has disconnected: nobody will read its result. A tenant may switch this off;
// such runs continue to their end.
import { optionalEnv } from '#lib/env.ts';
import type { Log } from '#lib/log.ts';
import { endRun } from './end.ts';
import type { StoredRun } from './stored-run.ts';

interface Connection {
  /** Aborted when the caller disconnects, perhaps already while the run was started. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Work in flight is aborted within a second. */
export function cancelOnDisconnect(run: StoredRun, { signal, log }: Connection): void {
  if (optionalEnv('CANCEL_ON_DISCONNECT') === 'false') return;
  if (signal.aborted) cancel(run, log);
  else signal.addEventListener('abort', () => cancel(run, log), { once: true });
}

function cancel(run: StoredRun, log: Log): void {
  log.info('the caller left', { run_id: run.run_id });
  endRun(run, { status: 'canceled' }).catch((error: unknown) => {
    // The run ends at its limit then.
    log.warn('the run of a caller who left was not canceled', {
      run_id: run.run_id,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  });
}
