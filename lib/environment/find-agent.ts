// Finds the agent that a hosted URL names, with the settings of its environment. What a process remembers of an
// agent are keys alone: it reads the items of an agent in one call, and sees in them whether the keys are right.
// Says nothing about who may call it.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { findBuild } from '#lib/registry/find-agent.ts';
import { ownerKey, readFlowEverywhere, readRow, rowKey } from '#lib/registry/row/row-items.ts';
import { type StoredRow, storedRow } from '#lib/registry/row/stored-row.ts';
import {
  findItem,
  itemKey,
  pickSettings,
  type RunSettings,
  readLive,
  readWithBudgets,
  toRunSettings,
} from './environment-items.ts';

export interface FoundAgent {
  readonly row: StoredRow;
  /** Absent where they were not read with the build. */
  readonly settings?: RunSettings;
}

/** Whose the short URL of a flow was when this process last looked. */
const lastOwner = boundedMap<string, WorkspaceScope>({ entriesMax: 1_000 });

/** The live build at the short URL: one call if this process has found it before, otherwise up to three. */
export async function findLiveAgent(flowid: string, caller?: Caller): Promise<FoundAgent | undefined> {
  const guess = lastOwner.get(flowid);
  if (guess) {
    const live = await readLive({ ...guess, flowid }, [ownerKey(flowid)]);
    const owner = findItem(live.items, ownerKey(flowid));
    if (owner?.orgid === guess.orgid && owner.workspaceid === guess.workspaceid)
      return toAgent(live) ?? tellOwner(guess, flowid, caller);
  }
  const { owner } = await readFlowEverywhere(flowid);
  if (!owner) return undefined;
  const { orgid, workspaceid } = owner;
  lastOwner.set(flowid, { orgid, workspaceid });
  return toAgent(await readLive({ orgid, workspaceid, flowid })) ?? tellOwner(owner, flowid, caller);
}

/** A caller of the workspace learns that no build is live. To others, the URL has no agent. */
function tellOwner({ orgid, workspaceid }: WorkspaceScope, flowid: string, caller?: Caller): undefined {
  if (caller?.orgid !== orgid || !mayUseWorkspace(caller, workspaceid)) return undefined;
  throw new ServiceError('unauthenticated', {
    detail: `No build of ${flowid} is live, so its live URL has no agent yet. Promote one: PUT /api/v1/a2a-registry/{id}/promote-live.`,
  });
}

const toAgent = ({ row, settings }: Awaited<ReturnType<typeof readLive>>): FoundAgent | undefined =>
  // A build that was demoted after it was found runs in another environment.
  row && (row.status === 'live' ? { row, settings: toRunSettings(row, 'live', settings) } : { row });

/** Where a build was when this process last looked: its environment is that of its status. */
const lastSeen = boundedMap<string, WorkspaceScope & Pick<StoredRow, 'status'>>({ entriesMax: 1_000 });

/** A build by its registry id: one call. */
export async function findAgent(id: string): Promise<FoundAgent | undefined> {
  const guess = lastSeen.get(id);
  if (!guess) return remember(await readRow(id));
  const items = await readWithBudgets(guess.orgid, [rowKey(id), itemKey(guess, guess.status)]);
  const item = findItem(items, rowKey(id));
  const row = item && storedRow.parse(item);
  if (row?.status !== guess.status) return remember(row);
  return { row, settings: toRunSettings(row, guess.status, pickSettings(items, guess)) };
}

/** Organisation and workspace of a build never change. */
function remember(row: StoredRow | undefined): FoundAgent | undefined {
  if (!row) return undefined;
  const { orgid, workspaceid, status } = row;
  lastSeen.set(row.a2aregistryid, { orgid, workspaceid, status });
  return { row };
}

/** A build of a flow, by its registry id or by `build-{n}`. */
export async function findTestAgent(flowid: string, reference: string): Promise<FoundAgent | undefined> {
  if (reference.startsWith('build-')) {
    const row = await findBuild(flowid, reference);
    return row && { row };
  }
  const agent = await findAgent(reference);
  return agent?.row.flowid === flowid ? agent : undefined;
}
