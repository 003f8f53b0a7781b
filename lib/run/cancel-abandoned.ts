// A run whose caller went away: nobody will read its result, so it is canceled, unless the tenant wants such runs to end by themselves.
import { optionalEnv } from '#lib/env.ts';
import type { Log } from '#lib/log.ts';
import type { StartedRun } from './run-inline.ts';

interface Leaving {
  /** Aborted when the caller leaves, perhaps already while the run was started. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

export function cancelWhenLeft(started: StartedRun, { signal, log }: Leaving): void {
  if (optionalEnv('CANCEL_ON_DISCONNECT') === 'false') return;
  if (signal.aborted) cancelAbandoned(started, log);
  else signal.addEventListener('abort', () => cancelAbandoned(started, log), { once: true });
}

function cancelAbandoned({ run, cancel }: StartedRun, log: Log): void {
  log.info('the caller left', { run_id: run.run_id });
  cancel().catch((error: unknown) => {
    // It ends at its limit then.
    log.warn('the run of a caller who left was not canceled', {
      run_id: run.run_id,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  });
}
