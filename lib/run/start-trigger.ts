// The synchronous trigger: starts the build that the path means on the body.
import type { Caller } from '#lib/access/caller.ts';
import { withDefaults } from './declared-trigger/defaults.ts';
import type { Environment } from './environment/environment.ts';
import { requireFitting } from './require-fitting.ts';
import { resolveTrigger } from './resolve-trigger.ts';
import { type InlineStart, type StartedRun, startInline } from './run-inline.ts';
import type { TriggerBody } from './trigger.ts';

export interface TriggerPath {
  readonly workspace_id: string;
  readonly trigger_id: string;
  readonly environment: Environment;
}

export async function startTrigger(
  caller: Caller,
  path: TriggerPath,
  body: TriggerBody,
  { log, remainingMs }: Pick<InlineStart, 'log' | 'remainingMs'>,
): Promise<StartedRun> {
  const { row, env, environment, defaults } = await resolveTrigger(caller, {
    workspaceid: path.workspace_id,
    triggerId: path.trigger_id,
    environment: path.environment,
    kind: 'api',
  });
  const flowInput = withDefaults(defaults, body);
  requireFitting(flowInput);
  return await startInline({
    row,
    env,
    caller,
    trigger: 'api',
    triggerId: path.trigger_id,
    environment,
    flowInput,
    log,
    remainingMs,
  });
}
