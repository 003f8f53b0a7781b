// The invariant of the registry, looked for in random concurrent histories: never two live rows of a flow in a workspace, and the flow's
// pointer names exactly the live row. The rules run in this process, against the embedded DynamoDB behind a proxy that disturbs them.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactGetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { create } from '#lib/registry/create.ts';
import { flowKey, rowKey } from '#lib/registry/keys.ts';
import { promote } from '#lib/registry/promote.ts';
import { remove } from '#lib/registry/remove.ts';
import { update } from '#lib/registry/update.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { card, flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
const kinds = ['create', 'promote', 'promote', 'promote', 'delete', 'update'] as const;
const step = fc.record({ kind: fc.constantFrom(...kinds), slot: fc.nat(3) });
/** Eight lanes at once, on four rows. */
const history = fc.array(fc.array(step, { minLength: 2, maxLength: 4 }), { minLength: 8, maxLength: 8 });
type Lanes = readonly (readonly { readonly kind: (typeof kinds)[number]; readonly slot: number }[])[];

const at = () => new Date().toISOString();

/** One flow of one workspace, and its four rows. */
interface World {
  readonly caller: Caller;
  readonly workspaceid: string;
  readonly flowid: string;
  readonly slots: string[];
  /** Every row that ever was. */
  readonly ids: string[];
}

type Promote = (world: World, id: string) => Promise<unknown>;

async function newWorld(): Promise<World> {
  const caller: Caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
  const world: World = { caller, workspaceid: unique('ws'), flowid: unique('flow'), slots: [], ids: [] };
  for (const slot of [0, 1, 2, 3]) await register(world, slot);
  return world;
}

async function register(world: World, slot: number): Promise<void> {
  const body = { flowid: world.flowid, agent_card: card(), flow: flow() };
  const row = await create(world.caller, { body, workspaceid: world.workspaceid, egress: [], at: at() });
  world.ids.push(row.a2aregistryid);
  world.slots[slot] = row.a2aregistryid;
}

const ours: Promote = async (world, id) => await promote(world.caller, id, { at: at() });

async function take(world: World, { kind, slot }: Lanes[number][number], promoteRow: Promote): Promise<void> {
  const id = world.slots[slot] ?? '';
  const change = { body: { agent_card: card() }, egress: undefined, at: at() };
  try {
    if (kind === 'create') await register(world, slot);
    if (kind === 'promote') await promoteRow(world, id);
    if (kind === 'delete') await remove(world.caller, id, at());
    if (kind === 'update') await update(world.caller, id, change);
  } catch (error) {
    if (error instanceof ServiceError && expected.has(error.code)) return;
    throw error;
  }
}

/** What may come of it when others change the same rows. */
const expected = new Set(['row_not_found', 'version_conflict', 'promotion_conflict']);

const seenRow = z.object({ a2aregistryid: z.string(), status: z.string() });
const seenFlow = z.object({
  live: z.string().optional(),
  last_build_no: z.number(),
  build_count: z.number(),
});

/** One transactional read: all that is true at one moment. */
async function look({ caller, workspaceid, flowid, ids }: World) {
  const Keys = [flowKey(flowid, caller.orgid, workspaceid), ...ids.map(rowKey)];
  const TableName = requireEnv('CONTROL_TABLE');
  const { Responses = [] } = await database.send(
    new TransactGetCommand({ TransactItems: Keys.map((Key) => ({ Get: { TableName, Key } })) }),
  );
  const [flowItem, ...rows] = Responses.map(({ Item }) => Item);
  return { flow: seenFlow.parse(flowItem), rows: rows.flatMap((row) => (row ? [seenRow.parse(row)] : [])) };
}

async function checkInvariant(world: World): Promise<void> {
  const known = new Set(world.ids);
  const { flow: pointer, rows } = await look(world);
  // A row that was registered and promoted since the list of rows was taken is for the next look.
  if (pointer.live !== undefined && !known.has(pointer.live)) return;
  const live = rows.filter((row) => row.status === 'live').map((row) => row.a2aregistryid);
  if (live.length > 1) throw new Error(`Two live rows: ${live}`);
  if (live[0] !== pointer.live) throw new Error(`The pointer names ${pointer.live}, but live is ${live[0]}`);
}

async function play(lanes: Lanes, promoteRow: Promote): Promise<void> {
  const world = await newWorld();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) await checkInvariant(world);
  })();
  const moving = lanes.map(async (steps) => {
    for (const each of steps) await take(world, each, promoteRow);
  });
  const stopWatching = () => {
    isOver = true;
  };
  await Promise.all([watching, Promise.all(moving).finally(stopWatching)]);
  await checkInvariant(world);
  const { flow: counted, rows } = await look(world);
  expect(counted).toMatchObject({ last_build_no: world.ids.length, build_count: rows.length });
}

const conflict = (count: number): Verdict => ({
  status: 400,
  error: {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message:
      'Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict]',
    CancellationReasons: Array.from({ length: count }, (_, n) => ({
      Code: n === 0 ? 'TransactionConflict' : 'None',
    })),
  },
});

const token = z.object({ ClientRequestToken: z.string() });

/** What real DynamoDB and networks do and the engine does not: conflicts of transactions, lost answers, broken connections. */
function disturb(random: () => number): (operation: string, body: Buffer) => Verdict {
  const known = new Set<string>();
  return (operation, body) => {
    if (operation !== 'TransactWriteItems') return 'pass';
    const { ClientRequestToken } = token.parse(JSON.parse(body.toString()));
    // Each transaction once, so that the SDK's own retry, which carries the same token, gets through.
    if (known.has(ClientRequestToken)) return 'pass';
    known.add(ClientRequestToken);
    const dice = random();
    if (dice < 0.1) return conflict(3);
    if (dice < 0.15) return 'lose answer';
    return dice < 0.2 ? 'reset' : 'pass';
  };
}

let proxy: AwsProxy;
let database: DynamoDBDocumentClient;

beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  database = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: upstream }));
  proxy = await startAwsProxy(upstream, disturb(Math.random));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(async () => await proxy.close());

describe(`at most one row of a flow is live (SEED=${seed})`, () => {
  const options = { seed, endOnFailure: true };

  test('in every history of registering, promoting, updating and deleting at once', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (lanes) => await play(lanes, ours)),
      { ...options, numRuns: 20 },
    );
    expect(proxy.calls).toContain('TransactWriteItems');
  });

  test('and the check would find an algorithm that looks for the live row and then swaps', {
    timeout: 60_000,
  }, async () => {
    const found = fc.assert(
      fc.asyncProperty(history, async (lanes) => await play(lanes, naive)),
      { ...options, numRuns: 50 },
    );
    await expect(found).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^(Two live rows|The pointer names)/) },
    });
  });
});

/** The mutant: reads which row is live, then swaps the two in a transaction without conditions. */
async function naive(world: World, id: string): Promise<void> {
  const { rows } = await look(world);
  const live = rows.find((row) => row.status === 'live' && row.a2aregistryid !== id);
  if (!rows.some((row) => row.a2aregistryid === id)) return;
  const TableName = requireEnv('CONTROL_TABLE');
  const set = (Key: object, name: string, value: string) => ({
    Update: {
      TableName,
      Key: { ...Key },
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    },
  });
  const pointer = set(flowKey(world.flowid, world.caller.orgid, world.workspaceid), 'live', id);
  const demotion = live ? [set(rowKey(live.a2aregistryid), 'status', 'test')] : [];
  await database.send(
    new TransactWriteCommand({ TransactItems: [set(rowKey(id), 'status', 'live'), pointer, ...demotion] }),
  );
}
