// Finds the build behind a hosted URL or a trigger. Says nothing about who may call it.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { optionalEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { registryId } from '#lib/ids.ts';
import { queryRows, readFlowEverywhere, readRow } from './row/row-items.ts';
import type { StoredFlow, StoredRow } from './row/stored-row.ts';

/** The live build at the short URL: that of the workspace which owns the flowid. Two AWS calls. */
export async function findLive(flowid: string): Promise<StoredRow | undefined> {
  const owned = await findOwned(flowid);
  return owned?.live === undefined ? undefined : await readRow(owned.live);
}

/** The agent whose card is at the root: the tenant names the live build of a flow, or one build. */
export async function findRootAgent(): Promise<StoredRow | undefined> {
  const name = optionalEnv('ROOT_AGENT');
  if (name === undefined)
    throw new ServiceError('row_not_found', {
      detail: 'No agent has its card here; each agent has one below its own URL.',
    });
  return registryId.safeParse(name).success ? await readRow(name) : await findLive(name);
}

/**
 * A build by its registry id, or by `build-{n}` in the workspace that owns the flowid; it must be of that
 * flow.
 */
export async function findBuild(flowid: string, reference: string): Promise<StoredRow | undefined> {
  if (!reference.startsWith('build-')) {
    const row = await readRow(reference);
    return row?.flowid === flowid ? row : undefined;
  }
  const owned = await findOwned(flowid);
  if (!owned) return undefined;
  const build_no = Number(reference.slice('build-'.length));
  const [row] = await queryRows({
    orgid: owned.orgid,
    workspaceid: owned.workspaceid,
    flowid,
    build_no,
    limit: 1,
  });
  return row;
}

/**
 * The workspace whose flow a path without a workspace means: the caller's only one that has it live, else the
 * owner's. One AWS call.
 */
export async function findOwnFlow(caller: Caller, flowid: string): Promise<StoredFlow | undefined> {
  const { owner, flows } = await readFlowEverywhere(flowid);
  const mine = flows.filter(
    (flow) =>
      flow.orgid === caller.orgid && flow.live !== undefined && mayUseWorkspace(caller, flow.workspaceid),
  );
  if (mine.length <= 1) return mine[0];
  const owned = mine.find((flow) => flow.orgid === owner?.orgid && flow.workspaceid === owner.workspaceid);
  if (owned) return owned;
  throw new ServiceError('ambiguous_flow', {
    detail: `Several of your workspaces have a live build of ${flowid}; use a key for one workspace.`,
  });
}

async function findOwned(flowid: string): Promise<StoredFlow | undefined> {
  const { owner, flows } = await readFlowEverywhere(flowid);
  return flows.find((flow) => flow.orgid === owner?.orgid && flow.workspaceid === owner.workspaceid);
}
