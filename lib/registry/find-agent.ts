// Finds the build behind a hosted URL or a trigger. Says nothing about who may call it.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { boundedMap } from '#lib/bounded-map.ts';
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { optionalEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { registryId, type WorkspaceScope } from '#lib/ids.ts';
import { pickSignableRow, readSignableRow, type SignableRow, signaturesKey } from './card/signature-items.ts';
import { flowKey, ownerKey, queryRows, readFlowEverywhere, readRow, rowKey } from './row/row-items.ts';
import type { StoredFlow, StoredRow } from './row/stored-row.ts';

/** Which build was live at a short URL, and in which workspace, when this process last looked. */
const lastLive = boundedMap<string, WorkspaceScope & { readonly live: string }>({ entriesMax: 1_000 });

/**
 * The live build at the short URL: that of the workspace which owns the flowid. One AWS call if it is the same as the
 * last time, which the items show that are read with it; otherwise up to three.
 */
export async function findLive(flowid: string): Promise<SignableRow | undefined> {
  const guess = lastLive.get(flowid);
  const known = guess && (await readIfLive(flowid, guess));
  if (known) return known;
  const owned = await findOwned(flowid);
  if (owned?.live === undefined) return undefined;
  const { orgid, workspaceid, live } = owned;
  lastLive.set(flowid, { orgid, workspaceid, live });
  return await readSignableRow(live);
}

async function readIfLive(
  flowid: string,
  { orgid, workspaceid, live }: WorkspaceScope & { readonly live: string },
): Promise<SignableRow | undefined> {
  const keys = [ownerKey(flowid), flowKey(flowid, orgid, workspaceid)];
  const ofBuild = [rowKey(live), signaturesKey(live)];
  const items = await batchGet(controlTable, [...keys, ...ofBuild], { ConsistentRead: true });
  const [owner, flow] = keys.map(({ pk, sk }) => items.find((item) => item.pk === pk && item.sk === sk));
  const isOwner = owner?.orgid === orgid && owner.workspaceid === workspaceid;
  return isOwner && flow?.live === live ? pickSignableRow(items, live) : undefined;
}

/** The agent whose card is at the root: the tenant names the live build of a flow, or one build. */
export async function findRootAgent(): Promise<SignableRow | undefined> {
  const name = optionalEnv('ROOT_AGENT');
  if (name === undefined)
    throw new ServiceError('row_not_found', {
      detail: 'No agent has its card here; each agent has one below its own URL.',
    });
  return registryId.safeParse(name).success ? await readSignableRow(name) : await findLive(name);
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

/** The same, with the signatures of its cards; one AWS call more for `build-{n}`. */
export async function findSignableBuild(flowid: string, reference: string): Promise<SignableRow | undefined> {
  const id = reference.startsWith('build-') ? (await findBuild(flowid, reference))?.a2aregistryid : reference;
  const found = id === undefined ? undefined : await readSignableRow(id);
  return found?.row.flowid === flowid ? found : undefined;
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
