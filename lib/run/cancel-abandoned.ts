// A run whose caller went away: nobody will read its result, so it is canceled, unless the tenant wants such runs to end by themselves.
import { optionalEnv } from '#lib/env.ts';
import type { Log } from '#lib/log.ts';
import type { StartedRun } from './run-inline.ts';

export function cancelAbandoned({ run, cancel }: StartedRun, log: Log): void {
  if (optionalEnv('CANCEL_ON_DISCONNECT') === 'false') return;
  log.info('the caller left', { run_id: run.run_id });
  cancel().catch((error: unknown) => {
    // It ends at its limit then.
    log.warn('the run of a caller who left was not canceled', {
      run_id: run.run_id,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  });
}
