// The synchronous trigger: finds the build that the path means and starts it on the body. The first half serves the other triggers too.
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import type { FlowInput } from '#lib/flow/engine.ts';
import { findForEnvironment } from '#lib/registry/find-agent.ts';
import type { StoredRow } from '#lib/registry/stored.ts';
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
  return await startInline({
    row: await findTriggered(caller, path),
    caller,
    trigger: 'api',
    triggerId: path.trigger_id,
    environment: path.environment,
    flowInput: flowInputOf(body),
    log,
    remainingMs,
  });
}

/** The build that a trigger runs in an environment. */
export async function findTriggered(caller: Caller, path: TriggerPath): Promise<StoredRow> {
  requireWorkspace(caller, path.workspace_id);
  const row = await findForEnvironment(caller, path.workspace_id, path.trigger_id, path.environment);
  if (row) return row;
  const detail = `The workspace has no trigger ${path.trigger_id} with a ${path.environment} build.`;
  throw new ServiceError('trigger_not_found', { detail });
}

export const flowInputOf = (body: TriggerBody): FlowInput => ({
  message: body.message,
  user_variables: body.user_variables ?? {},
});
