// Measures the registry over HTTP: promotions per second in parallel lanes, and what a page costs in tables of growing size.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { requireEnv } from '#lib/env.ts';
import { newRegistryId } from '#lib/ids.ts';
import { figureOf, type Row } from './row.ts';

export interface Bench {
  readonly baseUrl: string;
}

interface Owner {
  readonly baseUrl: string;
  readonly key: string;
  readonly orgid: string;
  readonly workspaceid: string;
}

const seconds = 3;
const rowPath = '/api/v1/a2a-registry';

/** Each lane has a flow of its own with two builds, and promotes one after the other; then all lanes fight over one flow. */
export async function promotionRows(bench: Bench): Promise<Row[]> {
  const owner = await newOwner(bench, 'org_promotions');
  const rows: Row[] = [];
  for (const lanes of [1, 8, 32]) {
    const flows = await Promise.all(
      Array.from({ length: lanes }, (_, n) => twoBuilds(owner, `f-${lanes}-${n}`)),
    );
    rows.push(
      await rateOf(owner, `promotions, ${lanes} ${lanes === 1 ? 'lane' : 'lanes'}, a flow each`, flows),
    );
  }
  const shared = await twoBuilds(owner, 'shared');
  rows.push(
    await rateOf(
      owner,
      'promotions, 8 lanes, one flow, some live already',
      Array.from({ length: 8 }, () => shared),
    ),
  );
  return rows;
}

async function rateOf(owner: Owner, what: string, lanes: readonly (readonly string[])[]): Promise<Row> {
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const end = performance.now() + (seconds * 1_000) / 3;
    const counts = await Promise.all(lanes.map((builds) => promoteUntil(end, owner, builds)));
    rates.push(counts.reduce((sum, count) => sum + count, 0) / (seconds / 3));
  }
  return { what, unit: '/s', ours: figureOf(rates) };
}

/** Counts those that were answered with the row live; a lost race (409) is none. */
async function promoteUntil(end: number, owner: Owner, builds: readonly string[]): Promise<number> {
  let count = 0;
  for (let n = 0; performance.now() < end; n += 1) {
    const { status } = await request(owner, 'PUT', `${rowPath}/${builds[n % builds.length]}/promote-live`);
    if (status === 200) count += 1;
  }
  return count;
}

const twoBuilds = async (owner: Owner, flowid: string) => [
  await build(owner, flowid),
  await build(owner, flowid),
];

/** A page of 50 from a workspace of so many rows, of which one in ten is public and one in a hundred live. */
export async function listRows(bench: Bench, sizes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const owner = await newOwner(bench, `org_list_${size}`);
    await fill(owner, size);
    for (const [name, query] of filters) {
      const path = `${rowPath}?workspaceid=${owner.workspaceid}&limit=50${query}`;
      rows.push({
        what: `list ${name}, ${size} rows`,
        unit: 'ms',
        ours: await timeOf(() => request(owner, 'GET', path)),
      });
    }
  }
  return rows;
}

const filters = [
  ['all', ''],
  ['by flowid', '&flowid=flow-3'],
  ['by status=test', '&status=test'],
  ['by status=live', '&status=live'],
  ['by visibility=public', '&visibility=public'],
] as const;

async function timeOf(run: () => Promise<unknown>): Promise<Row['ours']> {
  await run();
  const times: number[] = [];
  for (let n = 0; n < 9; n += 1) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return figureOf(times);
}

/** Copies of one row that was made in the usual way, with ids, times and index keys of their own, in 20 flows. */
async function fill(owner: Owner, size: number): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const TableName = requireEnv('CONTROL_TABLE');
  const pk = `AGENT#${await build(owner, 'flow-0')}`;
  const { Item: sample = {} } = await client.send(
    new GetCommand({ TableName, Key: { pk, sk: 'META' }, ConsistentRead: true }),
  );
  const batches = Array.from({ length: Math.ceil((size - 1) / 25) }, (_, n) => n);
  const write = async (): Promise<void> => {
    for (let n = batches.pop(); n !== undefined; n = batches.pop()) {
      const items = Array.from({ length: Math.min(25, size - 1 - n * 25) }, (_, k) =>
        copyOf(sample, owner, n * 25 + k),
      );
      const puts = items.map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
}

function copyOf(
  sample: Record<string, unknown>,
  { orgid, workspaceid }: Owner,
  n: number,
): Record<string, unknown> {
  const a2aregistryid = newRegistryId();
  const created_at = new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1_000).toISOString();
  const flowid = `flow-${n % 20}`;
  const sort = `${created_at}#${a2aregistryid}`;
  return {
    ...sample,
    ...{ a2aregistryid, created_at, updated_at: created_at, flowid, build_no: n + 2 },
    ...{ status: n % 100 === 0 ? 'live' : 'test', visibility: n % 10 === 0 ? 'public' : 'organization' },
    ...{ pk: `AGENT#${a2aregistryid}`, gsi1sk: sort, gsi2sk: sort },
    gsi2pk: `WS#${orgid}#${workspaceid}#FLOW#${flowid}`,
  };
}

async function newOwner({ baseUrl }: Bench, orgid: string): Promise<Owner> {
  const key = await issueApiKey({
    id: `key_${orgid}`,
    orgid,
    workspaces: '*',
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 3_600,
  });
  return { baseUrl, key, orgid, workspaceid: 'ws_bench' };
}

const created = z.object({ a2aregistryid: z.string() });

async function build(owner: Owner, flowid: string): Promise<string> {
  const skill = { id: 'echo', name: 'Echo', description: 'Repeats the message.', tags: ['echo'] };
  const { text } = await request(owner, 'POST', `${rowPath}?workspaceid=${owner.workspaceid}`, {
    flowid,
    agent_card: { name: 'Echo', description: 'Says what it hears.', skills: [skill] },
    flow: { version: 1, name: 'Echo', start: 'done', nodes: { done: { type: 'end', output: { said: 1 } } } },
  });
  return created.parse(JSON.parse(text)).a2aregistryid;
}

async function request(owner: Owner, method: string, path: string, body?: object) {
  const response = await fetch(owner.baseUrl + path, {
    method,
    headers: { 'x-api-key': owner.key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 500 || (method === 'GET' && !response.ok))
    throw new Error(`${method} ${path}: ${text}`);
  return { status: response.status, text };
}
