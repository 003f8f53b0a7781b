// Runs a flow again with what another run was started with, or with other input: a new run in the background, which
// names the run that it repeats. Its effects happen again, since it has an id and keys of its own.
import * as z from 'zod';
import { type Caller, requirePermission } from '#lib/access/caller.ts';
import { type Environment, environment } from '#lib/environment/environment.ts';
import { findBuild, readRowToStart } from '#lib/environment/environment-items.ts';
import { ServiceError } from '#lib/errors.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { registryId, runId } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { requireBudget } from '#lib/usage/check-budget.ts';
import { inputNotKept } from './input.ts';
import { ownHeaderById } from './own-run.ts';
import { noteRerun } from './reruns.ts';
import { runState } from './result.ts';
import { decryptInput } from './run-encryption.ts';
import { startQueued } from './start.ts';
import type { StoredRun } from './stored-run.ts';
import { messageText, userVariables } from './trigger.ts';

export const replayBody = z
  .strictObject({
    input: z
      .strictObject({
        message: messageText('Message to the flow.').optional(),
        user_variables: userVariables('Variables that the flow sees as `input.user_variables`.').optional(),
      })
      .optional()
      .meta({
        description:
          'Replaces the whole input, with its event and its files. Without it, the run gets the input that was kept, which requires `runs:inspect`.',
      }),
    environment: environment.optional().meta({ description: 'By default that of the run.' }),
    a2aregistryid: registryId.optional().meta({
      description:
        'Another build of the flow; in `live` only the live one. By default the build that the environment has now.',
    }),
  })
  .meta({ id: 'ReplayRequest' });
export type ReplayBody = z.infer<typeof replayBody>;

export const replayedRun = /* @__PURE__ */ z.lazy(() =>
  built(runState).extend({ replay_of: runId }).meta({ id: 'ReplayedRun' }),
);

export async function replayRun(caller: Caller, id: string, body: ReplayBody, log: Log): Promise<StoredRun> {
  const before = await ownHeaderById(caller, id);
  const { flowid } = before;
  const environment = body.environment ?? before.environment;
  const input = body.input
    ? { message: '', user_variables: {}, ...body.input }
    : await readKeptInput(caller, before);
  const row = await findRow(before, environment, body.a2aregistryid);
  requireBudget(before, caller);
  const run = await startQueued({
    row,
    caller,
    trigger: 'background',
    triggerId: flowid,
    environment,
    keepInput: JSON.stringify(input),
    replayOf: before.run_id,
  });
  await noteRerun(before, 'replays', run.run_id, log);
  return run;
}

/** Who may not read the input could read it in what the new run puts out. */
async function readKeptInput(caller: Caller, run: StoredRun): Promise<FlowInput> {
  requirePermission(caller, 'runs:inspect', run.workspaceid);
  const input = await decryptInput(run);
  if (input === undefined) throw inputNotKept(run);
  return JSON.parse(input) as FlowInput;
}

/** The build that runs it again. */
export async function findRow(
  { orgid, workspaceid, flowid }: StoredRun,
  environment: Environment,
  named: string | undefined,
): Promise<StoredRow> {
  if (named !== undefined) {
    const row = await readRowToStart(named, orgid);
    const isOfFlow = row?.orgid === orgid && row.workspaceid === workspaceid && row.flowid === flowid;
    if (!row || !isOfFlow)
      throw badBuild(`must be a build of the flow ${flowid} in the workspace of the run`);
    if (environment !== 'live' || row.status === 'live') return row;
    throw badBuild('must be the live build, as the environment is live');
  }
  const build = await findBuild({ orgid, workspaceid, flowid }, environment);
  if (build.is === 'build') return build.row;
  if (build.is === 'gone')
    throw new ServiceError('pinned_build_gone', {
      detail: `The environment ${environment} pins ${flowid} to the build ${build.pinned}, which is gone; pin another.`,
      workspaceid,
    });
  throw new ServiceError('trigger_not_found', {
    detail: `The flow ${flowid} has no ${environment === 'live' ? 'live' : 'test'} build to run.`,
    workspaceid,
  });
}

const badBuild = (detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer: '/body/a2aregistryid', detail }] });
