// One flow of one workspace whose rows are changed by many at once, and what must be true of it: at every
// moment, and in the end.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { requireEnv } from '#lib/env.ts';
import { readFlowBytes } from '#lib/registry/flow-payload.ts';
import { storedHistoryEntry } from '#lib/registry/history/entry.ts';
import { postingKeys } from '#lib/registry/listing/postings.ts';
import { flowKey, historyKey, rowKey, statusIndex } from '#lib/registry/row/row-items.ts';
import { status } from '#lib/registry/row/stored-row.ts';
import { unique } from '../caller.ts';
import { type Acknowledgement, newCaller, ours, register, unlessRefused } from './operations.ts';

export interface World {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string;
  /** Past the proxy that disturbs the others. */
  readonly database: DynamoDBDocumentClient;
  /** The rows that are changed. */
  readonly slots: string[];
  /** Every row whose creation was confirmed. */
  readonly ids: string[];
  readonly acknowledged: Acknowledgement[];
  /** Registrations whose outcome nobody knows. */
  unknownCreates: number;
}

export const directTo = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));

export async function newWorld(database: DynamoDBDocumentClient, slots: number): Promise<World> {
  const place = { orgid: unique('org'), workspaceid: unique('ws'), flowid: unique('flow') };
  const world: World = { ...place, database, slots: [], ids: [], acknowledged: [], unknownCreates: 0 };
  while (world.slots.length < slots) {
    const caller = newCaller(world.orgid, unique('key'));
    const row = await unlessRefused(() => register(ours, caller, world.workspaceid, world.flowid));
    if (!row) world.unknownCreates += 1;
    if (!row) continue;
    world.ids.push(row.a2aregistryid);
    world.slots.push(row.a2aregistryid);
  }
  return world;
}

const seenRow = z.object({
  a2aregistryid: z.string(),
  status,
  version: z.number(),
  payload_id: z.string(),
  payload_chunks: z.number(),
  created_at: z.string(),
  postings: z.record(z.string(), z.array(z.string())),
  gsi3pk: z.string(),
});
const seenFlow = z.object({
  live: z.string().optional(),
  last_build_no: z.number(),
  build_count: z.number(),
});

/** One transactional read, which takes a hundred items: all that is true at one moment. */
async function look({ orgid, workspaceid, flowid, ids, database }: World) {
  const Keys = [flowKey(flowid, orgid, workspaceid), ...ids.slice(0, 99).map(rowKey)];
  const TableName = requireEnv('CONTROL_TABLE');
  const { Responses = [] } = await database.send(
    new TransactGetCommand({ TransactItems: Keys.map((Key) => ({ Get: { TableName, Key } })) }),
  );
  const [flowItem, ...rows] = Responses.map(({ Item }) => Item);
  return { flow: seenFlow.parse(flowItem), rows: rows.flatMap((row) => (row ? [wholeRow(row)] : [])) };
}

/** A blind write to a row that was deleted in between makes half a row of it. */
function wholeRow(item: object): z.infer<typeof seenRow> {
  const row = seenRow.safeParse(item);
  if (row.success) return row.data;
  throw new Error('A deleted row came back, and only half of it');
}

/** At most one row is live, and the pointer names exactly it. */
export async function checkMoment(world: World): Promise<void> {
  const known = new Set(world.ids);
  const { flow: pointer, rows } = await look(world);
  // A row that was registered and promoted since the list of rows was taken is for the next look.
  if (pointer.live !== undefined && !known.has(pointer.live)) return;
  const live = rows.filter((row) => row.status === 'live').map((row) => row.a2aregistryid);
  if (live.length > 1) throw new Error(`Two live rows: ${live}`);
  if (live[0] !== pointer.live) throw new Error(`The pointer names ${pointer.live}, but live is ${live[0]}`);
}

/** When all is quiet: the histories explain the rows, say all that was acknowledged, and no flow is lost. */
export async function checkRecord(world: World): Promise<void> {
  const { flow, rows } = await look(world);
  const unknown = world.unknownCreates;
  within('last_build_no', flow.last_build_no, world.ids.length, unknown);
  within('build_count', flow.build_count, rows.length, unknown);
  const histories = new Map(
    await Promise.all(world.ids.map(async (id) => [id, await readHistory(world, id)] as const)),
  );
  for (const [id, entries] of histories) {
    checkChain(
      id,
      entries,
      rows.find((row) => row.a2aregistryid === id),
    );
    for (const { demoted, by, at } of entries)
      if (
        demoted !== undefined &&
        !histories.get(demoted)?.some((other) => other.successor === id && other.by === by && other.at === at)
      )
        throw new Error(`Lost: the history of ${demoted} does not say that ${id} took its place`);
  }
  for (const said of world.acknowledged) checkAcknowledged(said, histories.get(said.id) ?? []);
  for (const row of rows) {
    if (!(await untilAnswered(() => readFlowBytes(row))))
      throw new Error(`Lost: the flow of ${row.a2aregistryid}`);
    await checkFound(world, row);
  }
}

/**
 * The rules read through the proxy, which still disturbs, and a busy machine answers late: neither says what is
 * stored.
 */
async function untilAnswered<T>(read: () => Promise<T>, attempts = 20): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (attempts === 1 || !isTransientFailure(error)) throw error;
    return await untilAnswered(read, attempts - 1);
  }
}

/** By its status, and by all that its card says. */
async function checkFound(
  { orgid, workspaceid, database }: World,
  row: z.infer<typeof seenRow>,
): Promise<void> {
  if (row.gsi3pk !== statusIndex(orgid, workspaceid, row.status))
    throw new Error(`Lost: a list does not know that ${row.a2aregistryid} is ${row.status}`);
  const Keys = postingKeys({ ...row, orgid, workspaceid }, row.postings);
  const TableName = requireEnv('CONTROL_TABLE');
  const { Responses = {} } = await database.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
  );
  const found = Responses[TableName]?.length ?? 0;
  if (found < Keys.length)
    throw new Error(`Lost: ${Keys.length - found} of the postings of ${row.a2aregistryid}`);
}

function within(what: string, count: number, atLeast: number, more: number): void {
  if (count < atLeast || count > atLeast + more) throw new Error(`Lost: ${what} is ${count}, not ${atLeast}`);
}

type Entry = z.infer<typeof storedHistoryEntry>;

async function readHistory({ database }: World, id: string): Promise<Entry[]> {
  const { Items = [] } = await database.send(
    new QueryCommand({
      TableName: requireEnv('CONTROL_TABLE'),
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :history)',
      ExpressionAttributeValues: { ':pk': historyKey(id, 0).pk, ':history': 'HISTORY#' },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => storedHistoryEntry.parse(item));
}

/** From `created` on without a gap, each entry from where the one before led to, up to the row as it is. */
function checkChain(id: string, entries: readonly Entry[], row: z.infer<typeof seenRow> | undefined): void {
  for (const [n, { version, from }] of entries.entries())
    if (version !== n + 1 || from !== entries[n - 1]?.to)
      throw new Error(`Lost: the history of ${id} breaks at version ${version}`);
  const last = entries.at(-1);
  const isExplained = row
    ? row.version === last?.version && row.status === last.to
    : last?.action === 'deleted';
  if (!isExplained) throw new Error(`Lost: the history of ${id} ends with ${last?.action} ${last?.version}`);
}

function checkAcknowledged({ id, ...said }: Acknowledgement, entries: readonly Entry[]): void {
  const entry =
    said.version === undefined ? entries.at(-1) : entries.find((each) => each.version === said.version);
  const logged: Readonly<Record<string, unknown>> = entry ?? {};
  for (const [name, value] of Object.entries(said))
    if (logged[name] !== value) throw new Error(`Lost: ${id} was acknowledged ${JSON.stringify(said)}`);
}
