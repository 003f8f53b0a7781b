// Cancels a run whose caller has disconnected: nobody will read its result. A tenant may switch this off;
// such runs continue to their end.
import { optionalEnv } from '#lib/env.ts';
import type { Log } from '#lib/log.ts';
import { endRun } from './end.ts';
import type { InlineRun } from './run-inline.ts';

interface Connection {
  /** Aborted when the caller disconnects, perhaps already while the run was started. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Work in flight is aborted within a second. */
export function cancelOnDisconnect(started: InlineRun, { signal, log }: Connection): void {
  if (optionalEnv('CANCEL_ON_DISCONNECT') === 'false') return;
  if (signal.aborted) cancel(started, log);
  else signal.addEventListener('abort', () => cancel(started, log), { once: true });
}

function cancel({ run, execution }: InlineRun, log: Log): void {
  log.info('the caller left', { run_id: run.run_id });
  const end = async () => {
    await execution.header?.store();
    await endRun(run, { status: 'canceled' });
  };
  end().catch((error: unknown) => {
    // The run ends at its limit then.
    log.warn('the run of a caller who left was not canceled', {
      run_id: run.run_id,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  });
}
