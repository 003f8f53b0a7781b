// What `npm run verify` finds: nothing in what the service has written, and each fault that is planted.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds } from '#lib/inventory/identify.ts';
import type { TableName } from '#lib/inventory/kind.ts';
import { type CheckName, checkNames } from '#lib/verify/checks.ts';
import { newWalk, type VerifyOptions, verify, type Walk } from '#lib/verify/verify.ts';
import { type OwnTables, type PlainItem, startOwnTables } from '#test/support/own-tables.ts';
import { type PopulatedOrganisation, populate } from '#test/support/populated-organisation.ts';

let tables: OwnTables;
let one: PopulatedOrganisation;
beforeAll(async () => {
  tables = await startOwnTables();
  one = await populate('canary-of-one');
  await populate('canary-of-other');
  await tables.idle();
});
afterAll(async () => await tables.stop());

const options: VerifyOptions = {
  keepsSealed: false,
  now: Date.now,
  settle: async () => {},
  note: () => {},
};
const walkAll = async (some: Partial<VerifyOptions> = {}, from = newWalk(2)): Promise<Walk> =>
  await verify(from, { ...options, ...some });

describe('a service with two organisations', () => {
  test('agrees, whatever its items are', async () => {
    const walk = await walkAll();
    expect(walk.findings).toEqual([]);
    expect(walk.places.every(({ done }) => done)).toBe(true);
    const all = [...(await tables.readAll('control')), ...(await tables.readAll('runs'))];
    expect(Object.values(walk.items).reduce((sum, count) => sum + count, 0)).toBe(all.length);
  });

  test('continues where it was interrupted, and counts every item once', async () => {
    const whole = await walkAll();
    const noted: Walk[] = [];
    await walkAll({ note: (walk) => noted.push(walk) });
    for (const walk of noted) {
      const stored = JSON.parse(JSON.stringify(walk));
      expect((await walkAll({}, stored)).items).toEqual(whole.items);
    }
    expect(noted.length).toBeGreaterThanOrEqual(4);
  });

  test('has no verdict if KMS refuses the key', async () => {
    const { FLOW_KEY_ID } = process.env;
    process.env.FLOW_KEY_ID = '00000000-0000-4000-8000-000000000000';
    await expect(walkAll()).rejects.toThrow(/key/i);
    process.env.FLOW_KEY_ID = FLOW_KEY_ID;
  });
});

interface Fault {
  readonly table?: TableName;
  /** The item that is changed, of the first organisation. */
  readonly of: (item: PlainItem) => boolean;
  /** What it is replaced by; undefined deletes it. */
  readonly become?: (item: PlainItem) => object | undefined;
  /** The items that are found, if not the one that was changed. */
  readonly found?: (item: PlainItem) => boolean;
}

const isRow = ({ sk, a2aregistryid }: PlainItem) =>
  sk === 'META' && a2aregistryid === one.agent.a2aregistryid;
const isOfRow = ({ pk }: PlainItem) => pk === `AGENT#${one.agent.a2aregistryid}`;
const isFlow = ({ pk, sk }: PlainItem) => pk === `FLOW#${one.agent.flowid}` && sk.startsWith('WS#');
const isRun = ({ pk, sk }: PlainItem) => pk === `RUN#${one.endedRun}` && sk === 'HEAD';
const isPaused = ({ pk, sk }: PlainItem) => pk === `RUN#${one.pausedRun}` && sk === 'HEAD';
const ofPaused = (prefix: string) => (item: PlainItem) =>
  item.pk === `RUN#${one.pausedRun}` && item.sk.startsWith(prefix);
const startsWith = (prefix: string) => (item: PlainItem) => item.pk.startsWith(prefix);
const damaged = (bytes: unknown): Uint8Array => {
  const copy = Uint8Array.from(bytes as Uint8Array);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
};
const damage = (attribute: string) => (item: PlainItem) => ({
  ...item,
  [attribute]: damaged(item[attribute]),
});

const faults: Readonly<Record<CheckName, Fault>> = {
  'known-item': {
    of: isRow,
    become: (item) => ({ ...item, sk: 'OTHER' }),
    found: ({ sk }) => sk === 'OTHER',
  },
  'live-row': { of: isFlow, become: ({ live: _, ...item }) => item, found: isRow },
  'live-pointer': { of: isFlow, become: (item) => ({ ...item, live: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E' }) },
  'build-count': { of: isFlow, become: (item) => ({ ...item, build_count: 7 }) },
  'url-owner': {
    of: ({ pk, sk }) => pk === `FLOW#${one.agent.flowid}` && sk === 'OWNER',
    found: ({ flowid, sk }) => flowid === one.agent.flowid && sk === 'META',
  },
  'row-history': { of: (item) => isOfRow(item) && item.sk === 'HISTORY#00000001', found: isRow },
  'flow-payload': {
    of: (item) => isOfRow(item) && item.sk.startsWith('PAYLOAD#'),
    become: damage('bytes'),
    found: isRow,
  },
  'row-card': { of: isRow, become: (item) => ({ ...item, card: '{}' }) },
  'card-signatures': {
    of: ({ pk }) => pk === `CARD#${one.agent.a2aregistryid}`,
    become: (item) => ({ ...item, live: { digest: '', key_id: '', signed_at: '', signatures: [] } }),
  },
  'row-lists': {
    of: ({ pk }) => pk === `WS#${one.caller.orgid}#${one.caller.workspaceid}#VISIBILITY#public`,
    found: ({ pk }) => pk.startsWith('AGENT#'),
  },
  'row-search': {
    of: ({ pk, sk }) => pk.startsWith('SEARCH#PUBLIC#') && sk.includes(`#${one.agent.flowid}#`),
    found: isRow,
  },
  'index-keys': { of: isRow, become: (item) => ({ ...item, gsi3pk: 'WS#elsewhere' }) },
  'owner-count': {
    of: ({ pk, sk }) => pk === `ORG#${one.caller.orgid}` && sk === 'META',
    become: (item) => ({ ...item, owners: 2 }),
  },
  'member-count': {
    of: ({ pk, sk }) => pk === `ORG#${one.caller.orgid}` && sk === 'META',
    found: startsWith('USER#'),
  },
  connection: {
    of: ({ pk, sk }) => pk.startsWith(`CONN#${one.caller.orgid}`) && sk === 'ORG#crm',
    become: (item) => ({ ...item, name: 'other' }),
  },
  'signing-secret': {
    of: ({ trigger_id }) => trigger_id === one.webhook.trigger_id,
    become: (item) => ({ ...item, created_at: '2020-01-01T00:00:00.000Z' }),
    found: ({ pk, sk }) => pk.startsWith('SECRET#') && sk.includes('#trg_'),
  },
  'trigger-schedule': {
    of: ({ trigger_id }) => trigger_id === one.schedule,
    become: (item) => ({ ...item, enabled: false }),
  },
  settings: { of: startsWith('ENV#'), become: (item) => ({ ...item, env: 'none' }) },
  'usage-month': {
    table: 'runs',
    of: isRun,
    become: () => ({ pk: `USAGE#${one.caller.orgid}#ws#2026-11`, sk: '2026-11-01#x#0' }),
    found: startsWith('USAGE#'),
  },
  'run-log': { table: 'runs', of: ofPaused('E#'), found: isPaused },
  'run-part': { table: 'runs', of: isPaused, found: ofPaused('E#') },
  'run-data': { table: 'runs', of: isPaused, become: damage('input') },
  'run-snapshot': { table: 'runs', of: ofPaused('SNAP'), become: damage('bytes'), found: isPaused },
  'push-count': { table: 'runs', of: isRun, become: (item) => ({ ...item, push_configs: 1 }) },
  'dead-letter': {
    table: 'runs',
    of: isRun,
    become: () => ({
      pk: `DEAD#${one.caller.orgid}#${one.caller.workspaceid}`,
      sk: one.endedRun,
      id: one.endedRun,
      orgid: one.caller.orgid,
      workspaceid: one.caller.workspaceid,
      reason: 'None.',
      first_seen_at: '2026-11-01T00:00:00.000Z',
      last_seen_at: '2026-11-01T00:00:00.000Z',
      attempts: 1,
      ttl: 4_000_000_000,
    }),
    found: startsWith('DEAD#'),
  },
  'stored-data': { table: 'runs', of: startsWith('MEMORY#'), become: damage('content') },
};

describe('a fault is found by the check', () => {
  test.each(checkNames)('%s', async (check) => {
    const { table = 'control', of, become = () => undefined, found = of } = faults[check];
    const item = (await tables.readAll(table)).find(of);
    if (!item) throw new Error(`There is no item for the fault of ${check}.`);
    const fault = become(item);
    const planted = fault === undefined ? undefined : (fault as PlainItem);
    if (planted) await tables.put(table, planted);
    else await tables.remove(table, item);
    const { findings } = await walkAll();
    if (planted) await tables.remove(table, planted);
    await tables.put(table, item);
    const all = [
      ...(await tables.readAll('control')),
      ...(await tables.readAll('runs')),
      ...(planted ? [planted] : []),
    ];
    const keys = all.filter(found).map(({ pk, sk }) => `${pk} ${sk}`);
    const named = findings.filter((each) => each.check === check).map(({ pk, sk }) => `${pk} ${sk}`);
    expect(named.length, JSON.stringify(findings)).toBeGreaterThan(0);
    expect(keys).toEqual(expect.arrayContaining(named));
  });

  test('and after all of them nothing is found', async () => {
    expect((await walkAll()).findings).toEqual([]);
  });
});

test('what is gone at the second look is not found', async () => {
  const item = (await tables.readAll('control')).find(isFlow) as PlainItem;
  await tables.put('control', { ...item, build_count: 9 });
  const { findings } = await walkAll({ settle: async () => await tables.put('control', item) });
  expect(findings).toEqual([]);
});

test('nothing is decrypted for an operator who may not use the key', async () => {
  const item = (await tables.readAll('control')).find(({ pk }) => pk.startsWith('CONN#')) as PlainItem;
  await tables.put('control', damage('sealed')(item));
  expect((await walkAll({ keepsSealed: true })).findings).toEqual([]);
  expect((await walkAll()).findings).toMatchObject([{ check: 'connection', pk: item.pk, sk: item.sk }]);
  await tables.put('control', item);
});

test('what a writer that died has left is counted, and is no finding', async () => {
  const item = (await tables.readAll('control')).find(
    (each) => isOfRow(each) && each.sk.startsWith('PAYLOAD#'),
  ) as PlainItem;
  const left = { ...item, sk: 'PAYLOAD#01JD2Q3V5W7X9Y1Z3A5B7C9D1E#000' };
  await tables.put('control', left);
  const { findings, leftovers } = await walkAll();
  expect({ findings, leftovers }).toEqual({ findings: [], leftovers: { 'flow chunk': 1 } });
  await tables.remove('control', left);
});

test('a run that an earlier version has stored, without its caller in the keys of lists, is no finding', async () => {
  const item = (await tables.readAll('runs')).find(isRun) as PlainItem;
  const position = `${item.created_at}#${one.endedRun}`;
  await tables.put('runs', { ...item, gsi1sk: position, gsi2sk: position });
  expect((await walkAll()).findings).toEqual([]);
  await tables.put('runs', { ...item, gsi1sk: position });
  expect((await walkAll()).findings).toMatchObject([{ check: 'index-keys', pk: item.pk, sk: item.sk }]);
  await tables.put('runs', item);
});

test('every kind of item has a name of its own', () => {
  const names = [...kinds.control, ...kinds.runs].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
