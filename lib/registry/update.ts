// Replaces what may be replaced of a row; flowid, workspaceid, orgid, status and build number stay.
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#lib/access/caller.ts';
import type { Key } from '#lib/dynamo/items.ts';
import { inWorkspace, ServiceError } from '#lib/errors.ts';
import { newPayloadId } from '#lib/ids.ts';
import { describeCard } from './card/published-card.ts';
import { replaceRow } from './change-items.ts';
import { deleteFlow, storeFlow } from './flow-payload.ts';
import { type Postings, removePostings, revise, writePostings } from './listing/postings.ts';
import { findUntaggedSkills } from './row/agent-card-input.ts';
import { ownRow } from './row/own-row.ts';
import type { UpdateBody } from './row/row.ts';
import type { StoredRow } from './row/stored-row.ts';
import { removeLivePostings, reviseLive, writeLivePostings } from './search-index/live-postings.ts';

export interface Replacement {
  readonly body: UpdateBody;
  /** The hosts of the new flow; undefined when the stored flow stays. */
  readonly egress: readonly string[] | undefined;
  readonly at: string;
  readonly requestId?: string | undefined;
  /** Undefined when any version may be replaced. */
  readonly expectedVersion?: number | undefined;
}

export async function update(caller: Caller, id: string, replacement: Replacement): Promise<StoredRow> {
  const before = await ownRow(caller, id, replacement.expectedVersion);
  return await inWorkspace(before, replace(caller, before, replacement));
}

async function replace(caller: Caller, before: StoredRow, replacement: Replacement): Promise<StoredRow> {
  const { body, egress, at, expectedVersion } = replacement;
  const next: StoredRow = {
    ...before,
    ...describeCard(body.agent_card, body.flow_version),
    flow_version: body.flow_version,
    label: body.label,
    note: body.note,
    visibility: body.visibility ?? 'organization',
    tags: body.agent_card.tags ?? [],
    untagged_skills: findUntaggedSkills(body.agent_card),
    tool_config: body.tool_config && JSON.stringify(body.tool_config),
    env_variable: body.env_variable,
    egress: egress ? [...egress] : before.egress,
    version: before.version + 1,
    updated_at: at,
  };
  const { postings, added, dropped } = revise(before.postings ?? {}, next);
  const live = before.status === 'live' ? reviseLive(next, before) : undefined;
  const [newFlow] = await Promise.all([
    body.flow && storeNewFlow(next, body.flow),
    writePostings(next, added),
    live && writeLivePostings(live.added),
  ]);
  const row = { ...next, ...newFlow, postings, ...(live && { search_id: live.search_id }) };
  if (await replaceRow(before, row, caller.id, changedMembers(before, row), replacement.requestId)) {
    await forget(before, dropped, body.flow !== undefined, live?.dropped);
    return row;
  }
  await forget(row, added, body.flow !== undefined, live?.added);
  await ownRow(caller, before.a2aregistryid, expectedVersion);
  throw new ServiceError('version_conflict', {
    detail: 'The row was changed at the same time; read it again.',
  });
}

/** Deletes what the table holds for a version of the row that is no longer current, or never was. */
async function forget(
  row: StoredRow,
  postings: Postings,
  withFlow: boolean,
  livePostings: readonly Key[] = [],
): Promise<void> {
  await Promise.all([
    withFlow && deleteFlow(row),
    removePostings(row, postings),
    removeLivePostings(livePostings),
  ]);
}

async function storeNewFlow(row: StoredRow, flow: NonNullable<UpdateBody['flow']>) {
  const payload_id = newPayloadId();
  const payload_chunks = await storeFlow({ ...row, payload_id }, flow);
  return { payload_id, payload_chunks };
}

/**
 * What the update changed, by the names that callers know. Names only: history is kept for good and must not
 * hold values that were removed.
 */
const changedMembers = (before: StoredRow, after: StoredRow): string[] =>
  Object.entries(comparedMembers)
    .filter(([, read]) => !isDeepStrictEqual(read(before), read(after)))
    .map(([name]) => name);

const comparedMembers = {
  agent_card: (row) => [JSON.parse(row.card), row.tags],
  // A flow that is sent always counts as changed: the stored one is encrypted and not compared.
  flow: (row) => row.payload_id,
  flow_version: (row) => row.flow_version,
  label: (row) => row.label,
  note: (row) => row.note,
  visibility: (row) => row.visibility,
  tool_config: (row) => row.tool_config && JSON.parse(row.tool_config),
  env_variable: (row) => row.env_variable,
  egress: (row) => row.egress,
} satisfies Record<string, (row: StoredRow) => unknown>;
