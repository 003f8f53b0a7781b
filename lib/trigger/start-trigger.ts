// The synchronous trigger: starts the run that path and body ask for, and returns its result.
import type { Caller } from '#lib/access/caller.ts';
import type { Environment } from '#lib/environment/environment.ts';
import type { Log } from '#lib/log.ts';
import { interrupted } from '#lib/run/failure.ts';
import { requireFitting } from '#lib/run/require-fitting.ts';
import type { RunResult } from '#lib/run/result.ts';
import { finishInline, type InlineRun, type InlineStart, startInline } from '#lib/run/run-inline.ts';
import { runResult } from '#lib/run/state.ts';
import type { TriggerBody } from '#lib/run/trigger.ts';
import { applyDefaults, findFiles, resolveTrigger } from './resolve-trigger.ts';

export interface TriggerPath {
  readonly workspace_id: string;
  readonly trigger_id: string;
  readonly environment: Environment;
}

export async function startTrigger(
  caller: Caller,
  path: TriggerPath,
  body: TriggerBody,
  { log, remainingMs, trace }: Pick<InlineStart, 'log' | 'remainingMs' | 'trace'>,
): Promise<InlineRun> {
  const { row, settings, environment, defaults } = await resolveTrigger(caller, {
    workspaceid: path.workspace_id,
    triggerId: path.trigger_id,
    environment: path.environment,
    kind: 'api',
  });
  const flowInput = {
    ...applyDefaults(defaults, body),
    ...(await findFiles(caller, path.workspace_id, body)),
  };
  requireFitting(flowInput);
  return await startInline({
    row,
    settings,
    caller,
    trigger: 'api',
    triggerId: path.trigger_id,
    environment,
    flowInput,
    ...(settings.keepValues === 'all' && { keepInput: JSON.stringify(flowInput) }),
    trace,
    log,
    remainingMs,
  });
}

/**
 * The answer may have begun when something goes wrong, so it reports it as a result: a broken connection would say
 * nothing.
 */
export async function finishTrigger(started: InlineRun, log: Log): Promise<RunResult> {
  const { run } = started;
  try {
    return runResult(run.run_id, await finishInline(started));
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    log.error('run interrupted', { run_id: run.run_id, reason });
    return runResult(run.run_id, { ...interrupted, logs: [] });
  }
}
