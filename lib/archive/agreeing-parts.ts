// What belongs together in an archive is read until it agrees: a flow with its builds, an organisation with its members,
// a run with its log. The tables are written meanwhile, and a read of several items is no snapshot.

import { member } from '#lib/access/member-items.ts';
import { isOwner, organizationItemKey } from '#lib/access/owner-count.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryPages } from '#lib/dynamo/query.ts';
import { identify } from '#lib/inventory/identify.ts';
import {
  collectChunks,
  type Group,
  readAgain,
  type StoredItem,
  toStored,
} from '#lib/inventory/partitions.ts';
import { flowIndex, rowKey } from '#lib/registry/row/row-items.ts';
import { type StoredFlow, storedFlow, storedRow } from '#lib/registry/row/stored-row.ts';
import { memberIndex } from '#lib/session/invitation-items.ts';
import type { Check } from '#lib/verify/check.ts';
import { registryChecks } from '#lib/verify/registry-checks.ts';
import { runChecks } from '#lib/verify/run-checks.ts';

/** What changes at each of so many reads in a row cannot be exported. */
export const readsMax = 5;

export interface Reading {
  /** Ms since 1970. */
  readonly now: number;
  /** Waits before a part that does not agree is read again: its writer ends, and indexes follow. */
  readonly settle: () => Promise<void>;
}

/** A part of an organisation that did not agree in any of its reads. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

async function readUntilAgreed<Part>(
  what: string,
  { settle }: Reading,
  read: () => Promise<Part | undefined>,
): Promise<Part> {
  for (let n = 0; n < readsMax; n += 1) {
    if (n > 0) await settle();
    const part = await read();
    if (part !== undefined) return part;
  }
  throw new Disagreement(
    `${what} did not agree in ${readsMax} reads. Run npm run verify, which names what is wrong and its cure; if it finds nothing, stop the callers of the organisation and export again`,
  );
}

export interface FlowPart {
  readonly flow: StoredItem;
  /** A partition for each build. */
  readonly builds: readonly Group[];
}

/** A flow with the builds that it counts, one of which is live if it points to one. Undefined if it was deleted. */
export async function readFlow({ pk, sk }: StoredItem, reading: Reading): Promise<FlowPart | undefined> {
  const part = await readUntilAgreed(`The builds of ${pk} ${sk}`, reading, async () => {
    const flow = await getItem(controlTable, { pk, sk });
    if (!flow) return { found: undefined };
    const builds = await readBuilds(storedFlow.parse(flow));
    return builds && { found: { flow: toStored(flow), builds } };
  });
  return part.found;
}

/** Undefined if they do not agree with each other or with their flow. */
async function readBuilds(flow: StoredFlow): Promise<Group[] | undefined> {
  const builds: Group[] = [];
  const query = {
    IndexName: 'gsi2',
    KeyConditionExpression: 'gsi2pk = :pk',
    ExpressionAttributeValues: { ':pk': flowIndex(flow.orgid, flow.workspaceid, flow.flowid) },
  };
  for await (const found of queryPages(controlTable, query))
    for (const each of found) {
      const build = await readAgain({ table: 'control', items: [toStored(each)] });
      if (!(await isWholeBuild(build, flow))) return undefined;
      builds.push(build);
    }
  const hasLive =
    flow.live === undefined || builds.some(({ items }) => items[0]?.pk === rowKey(flow.live ?? '').pk);
  return builds.length === flow.build_count && hasLive ? builds : undefined;
}

async function isWholeBuild(build: Group, flow: StoredFlow): Promise<boolean> {
  const item = build.items.find(({ sk }) => sk === 'META');
  if (!item) return false;
  const row = storedRow.parse(item);
  if ((flow.live === row.a2aregistryid) !== (row.status === 'live')) return false;
  if (!collectChunks(build.items, `PAYLOAD#${row.payload_id}#`, row.payload_chunks)) return false;
  return await passes(registryChecks['row-history'], item, build);
}

/** The items of members, and that which counts the owners among them, if there is one. */
export async function readPeople(orgid: string, reading: Reading): Promise<StoredItem[]> {
  return await readUntilAgreed(`The members of ${orgid}`, reading, async () => {
    const people: StoredItem[] = [];
    const query = {
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk',
      ExpressionAttributeValues: { ':pk': memberIndex(orgid) },
    };
    for await (const found of queryPages(controlTable, query))
      for (const { pk, sk } of found) {
        const item = await getItem(controlTable, { pk: String(pk), sk: String(sk) });
        if (item) people.push(toStored(item));
      }
    const organization = await getItem(controlTable, organizationItemKey(orgid));
    const owners = people.filter((each) => isOwner(member.parse(each).roles)).length;
    if ((organization?.owners ?? 0) !== owners) return undefined;
    return organization ? [...people, toStored(organization)] : people;
  });
}

/** The items of a run that is over, with its whole log, response and first snapshot. Without items if it has expired meanwhile. */
export async function readEndedRun(scanned: Group, reading: Reading): Promise<Group> {
  let group = scanned;
  return await readUntilAgreed(`The run ${scanned.items[0]?.pk}`, reading, async () => {
    const read = group;
    const item = read.items.find(({ sk }) => sk === 'HEAD');
    const isWhole =
      !item ||
      ((await passes(runChecks['run-log'], item, read)) &&
        (await passes(runChecks['run-snapshot'], item, read)));
    if (!isWhole) group = await readAgain(scanned);
    return isWhole ? read : undefined;
  });
}

async function passes({ find, on }: Check, item: StoredItem, group: Group): Promise<boolean> {
  const known = identify(group.table, item);
  if (!known || !on.includes(known.kind.name)) throw new Error(`${item.pk} ${item.sk} is of another kind.`);
  return (await find({ item, known, group, now: Date.now() })).length === 0;
}
