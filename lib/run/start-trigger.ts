// The synchronous trigger: finds the build that the path means and starts it on the body.
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { findForEnvironment } from '#lib/registry/find-agent.ts';
import { type InlineStart, type StartedRun, startInline } from './run-inline.ts';
import type { Environment, TriggerBody } from './trigger.ts';

export interface TriggerPath {
  readonly workspace_id: string;
  /** Every flow has a trigger whose id is its flowid. */
  readonly trigger_id: string;
  readonly environment: Environment;
}

export async function startTrigger(
  caller: Caller,
  path: TriggerPath,
  body: TriggerBody,
  { log, remainingMs }: Pick<InlineStart, 'log' | 'remainingMs'>,
): Promise<StartedRun> {
  requireWorkspace(caller, path.workspace_id);
  const row = await findForEnvironment(caller, path.workspace_id, path.trigger_id, path.environment);
  if (!row) {
    const detail = `The workspace has no trigger ${path.trigger_id} with a ${path.environment} build.`;
    throw new ServiceError('trigger_not_found', { detail });
  }
  return await startInline({
    row,
    caller,
    trigger: 'api',
    environment: path.environment,
    flowInput: { message: body.message, user_variables: body.user_variables ?? {} },
    log,
    remainingMs,
  });
}
