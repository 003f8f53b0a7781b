// An export while the organisation is written: the archive agrees with itself, or there is none. Pages of scans are short
// here, and a write takes place before DynamoDB answers a read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Disagreement, readsMax } from '#lib/archive/agreeing-parts.ts';
import { exportOrganisation } from '#lib/archive/export-organisation.ts';
import type { ArchiveRecord } from '#lib/archive/format.ts';
import { identify } from '#lib/inventory/identify.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { type CapacityMeter, startCapacityMeter } from '#test/support/capacity-meter.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type OwnTables, startOwnTables } from '#test/support/own-tables.ts';
import { joinOrganization } from '#test/support/person.ts';
import { runState } from '#test/support/run-calls.ts';

let tables: OwnTables;
let meter: CapacityMeter;
let proxy: AwsProxy;
/** Called before a read of the export is answered. */
let meanwhile: (operation: string, asked: string) => Promise<void> = async () => {};
beforeAll(async () => {
  tables = await startOwnTables();
  const { AWS_ENDPOINT_URL_DYNAMODB = '' } = tables.service.environment;
  meter = await startCapacityMeter(
    AWS_ENDPOINT_URL_DYNAMODB,
    async ({ operation, asked }) => await meanwhile(operation, JSON.stringify(asked)),
  );
  proxy = await startAwsProxy(meter.url, (operation, body) =>
    operation === 'Scan'
      ? { instead: Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), Limit: 3 })) }
      : 'pass',
  );
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(async () => {
  await proxy.close();
  await meter.close();
  await tables.stop();
});

async function exported({ orgid }: TestCaller): Promise<ArchiveRecord[]> {
  const records: ArchiveRecord[] = [];
  const options = { orgid, withSecrets: true, now: Date.now(), settle: async () => {}, leave: () => {} };
  for await (const record of exportOrganisation(options)) records.push(record);
  return records;
}

const kindOf = ({ table, item }: ArchiveRecord) => identify(table, item)?.kind.name;
const itemsOf = (records: readonly ArchiveRecord[], kind: string) =>
  records.filter((each) => kindOf(each) === kind).map(({ item }) => item);

/** What `npm run verify` would find in the tables that an import makes of it. */
function expectAgreement(records: readonly ArchiveRecord[]): void {
  const rows = itemsOf(records, 'registry row');
  for (const { flowid, live, build_count } of itemsOf(records, 'flow')) {
    const builds = rows.filter((row) => row.flowid === flowid);
    const ids = builds.filter(({ status }) => status === 'live').map((row) => row.a2aregistryid);
    expect(builds).toHaveLength(Number(build_count));
    expect(ids).toEqual(live === undefined ? [] : [live]);
  }
  for (const { pk, version } of rows) {
    const history = itemsOf(records, 'row history').filter((each) => each.pk === pk);
    expect(history.map((each) => each.version)).toEqual(
      Array.from({ length: Number(version) }, (_, n) => n + 1),
    );
  }
  const owners = itemsOf(records, 'member').filter(({ roles }) => JSON.stringify(roles).includes('owner'));
  expect(owners).toHaveLength(Number(itemsOf(records, 'organisation')[0]?.owners ?? 0));
  for (const record of records.filter((each) => kindOf(each) === 'registry row'))
    expect(JSON.parse(record.flow ?? 'null')).toMatchObject({ start: expect.any(String) });
}

/** Lets each of these writes happen once, before the answer to a read of one of the builds or members. */
function writeWhileRead(writes: readonly (() => Promise<unknown>)[], orgid: string): { left: () => number } {
  const waiting = [...writes];
  let isWriting = false;
  meanwhile = async (operation, asked) => {
    const isRead = operation === 'Scan' || (operation === 'Query' && asked.includes(orgid));
    if (isWriting || !isRead) return;
    isWriting = true;
    await waiting.shift()?.();
    isWriting = false;
  };
  return { left: () => waiting.length };
}

describe('the archive agrees with itself while', () => {
  test.each<[string, (agent: TestAgent) => readonly (() => Promise<unknown>)[]]>([
    [
      'builds are registered, promoted, updated and deleted',
      (agent) => {
        const { key, flowid } = agent;
        const ids: string[] = [];
        const add = async () => void ids.push((await newRow(agent, { flowid })).a2aregistryid);
        const promote = async () => await promoted(agent, { a2aregistryid: ids.at(-1) ?? '' });
        const remove = async () =>
          await call('deleteRegistryRow', { key, params: { a2aregistryid: ids.shift() ?? '' } });
        return [add, promote, add, promote, remove, add, promote, remove];
      },
    ],
    [
      'owners join',
      ({ orgid }) => Array.from({ length: 3 }, () => () => joinOrganization(orgid, { role: 'owner' })),
    ],
  ])('%s', async (_, writesOf) => {
    const agent = await liveAgent({});
    const { left } = writeWhileRead(writesOf(agent), agent.orgid);
    const records = await exported(agent);
    meanwhile = async () => {};
    expect(left()).toBe(0);
    expectAgreement(records);
    expect(itemsOf(records, 'flow').map(({ flowid }) => flowid)).toEqual([agent.flowid]);
  });
});

test('a build that was promoted between the read of its flow and of its rows is read again', async () => {
  const agent = await liveAgent({});
  const { a2aregistryid } = await newRow(agent, { flowid: agent.flowid });
  let isPromoted = false;
  meanwhile = async (operation, asked) => {
    if (isPromoted || operation !== 'Query' || !asked.includes(`#FLOW#${agent.flowid}`)) return;
    isPromoted = true;
    await promoted(agent, { a2aregistryid });
  };
  const records = await exported(agent);
  meanwhile = async () => {};
  expect(isPromoted).toBe(true);
  expectAgreement(records);
  expect(itemsOf(records, 'flow')[0]?.live).toBe(a2aregistryid);
});

test('what changes at each read is not exported, and the reason says what to do', async () => {
  const agent = await liveAgent({});
  let reads = 0;
  meanwhile = async (operation, asked) => {
    if (operation !== 'GetItem' || !asked.includes(`"FLOW#${agent.flowid}"`)) return;
    reads += 1;
    await newRow(agent, { flowid: agent.flowid });
  };
  const failed = await exported(agent).catch((error: unknown) => error);
  meanwhile = async () => {};
  expect(failed).toBeInstanceOf(Disagreement);
  expect(String(failed)).toContain('stop the callers of the organisation and export again');
  expect(reads).toBe(readsMax);
});

test('a run that ends while its items are read is exported whole, or left behind', async () => {
  const agent = await liveAgent({});
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const started: string[] = [];
  meanwhile = async (operation) => {
    if (operation !== 'Scan' || started.length > 5) return;
    const { body } = await call('startRun', { key: agent.key, params, body: { message: unique('m') } });
    started.push(body.workflow_id);
  };
  const records = await exported(agent);
  meanwhile = async () => {};
  await tables.idle();
  for (const id of started) expect((await runState(agent, id)).status).toBe('completed');
  const runs = itemsOf(records, 'run');
  for (const { pk, generation, status } of runs) {
    expect(status).toBe('completed');
    const events = itemsOf(records, 'run event').filter((each) => each.pk === pk);
    expect([0, 1]).toContain(Number(generation) - events.length);
  }
});

test('an organisation that nobody writes is read once', async () => {
  const caller = await newCaller();
  await liveAgent({}, caller);
  let reads = 0;
  meanwhile = async (operation, asked) => {
    if (operation === 'Query' && asked.includes(`#FLOW#`) && asked.includes(caller.orgid)) reads += 1;
  };
  await exported(caller);
  meanwhile = async () => {};
  expect(reads).toBe(1);
});
