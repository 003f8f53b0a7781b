// The migration after which cards have the address and the signing key that the service has now.
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { publicKey } from '#lib/access/signer.ts';
import { jobs } from '#lib/migration/jobs.ts';
import { cardForms } from '#lib/registry/card/card-form.ts';
import { readCard } from '#lib/registry/card/published-card.ts';
import { signStoredCard } from '#lib/registry/card/sign-card.ts';
import { readSignatures, signaturesKey } from '#lib/registry/card/signature-items.ts';
import { list } from '#lib/registry/list.ts';
import { promote } from '#lib/registry/promote.ts';
import { hasFormerCard } from '#lib/registry/renew-card.ts';
import { flowKey, flowsIndex, rowItem } from '#lib/registry/row/row-items.ts';
import { type StoredRow, storedRow as storedRowSchema } from '#lib/registry/row/stored-row.ts';
import { unique } from '#test/support/caller.ts';
import { type Item, type Migrations, runToEnd, startMigrations } from '#test/support/migrations.ts';
import { storedRow } from '#test/support/stored-rows.ts';

let migrations: Migrations;
beforeAll(async () => {
  migrations = await startMigrations();
});
afterAll(async () => await migrations.close());

/** The address that the service gets; each test has its own. */
let address = '';
beforeEach(() => {
  address = `https://${unique('at').replaceAll('_', '-')}.example.com`;
  process.env.GATEWAY_URL = address;
});

const workspaceid = 'ws';
const newCaller = (): Caller => ({
  id: unique('key'),
  orgid: unique('org'),
  workspaces: '*',
  scopes: new Set(),
});

async function putRow(orgid: string, change: (item: Item) => Item = (item) => item): Promise<Item> {
  const row = storedRow({ orgid, workspaceid, flowid: unique('flow'), tags: ['old'] });
  const item = change({ ...rowItem(row) });
  await migrations.put(item);
  const { flowid } = row;
  const index = { gsi1pk: flowsIndex(orgid, workspaceid), gsi1sk: flowid };
  const counts = { last_build_no: 1, build_count: 1, updated_at: row.updated_at };
  await migrations.put({
    ...flowKey(flowid, orgid, workspaceid),
    ...index,
    flowid,
    orgid,
    workspaceid,
    ...counts,
  });
  return item;
}

const putRows = async (orgid: string, count: number) =>
  await Promise.all(Array.from({ length: count }, () => putRow(orgid)));

const readItems = async ({ pk }: Item) => await migrations.readItems(String(pk));

async function readRow(item: Item): Promise<StoredRow> {
  const found = (await readItems(item)).find(({ sk }) => sk === 'META');
  return storedRowSchema.parse(found);
}

const time = { now: Date.now, pause: async () => undefined };
const jkuOf = ({ signatures }: { readonly signatures: readonly { readonly protected: string }[] }) =>
  signatures.map((signature) => decodeProtectedHeader({ ...signature }).jku);

/** As versions signed it that stored the signatures in the row. */
const signedBefore = (kid: string) => {
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid })).toString('base64url');
  const signature = { protected: header, signature: 'x' };
  const both = { test: [signature], live: [signature] };
  return {
    signatures: { test: signature, live: signature },
    sdk_signatures: both,
    extended_signatures: both,
  };
};

describe('the migration addresses', () => {
  test('gives all rows the new address, in every organisation, for which all forms of their cards are then signed', async () => {
    const items = [...(await putRows(unique('org'), 7)), ...(await putRows(unique('org'), 2))];
    expect(await runToEnd(migrations, 'addresses')).toMatchObject({ state: 'done', failed: 0 });
    for (const item of items) {
      const row = await readRow(item);
      expect(row).toMatchObject({ gateway_url: address, version: 2, card: item.card });
      expect(readCard(row).supportedInterfaces.every(({ url }) => url.startsWith(`${address}/`))).toBe(true);
      for (const form of cardForms) {
        const signed = await signStoredCard({ a2aregistryid: row.a2aregistryid, form }, time);
        expect(signed && new Set(jkuOf(signed))).toEqual(new Set([`${address}/.well-known/jwks.json`]));
      }
      expect(await hasFormerCard(row)).toBe(false);
    }
  });

  test('changes nothing of a row but its address and its version, and removes signatures', async () => {
    const item = await putRow(unique('org'), (before) => ({ ...before, ...signedBefore('former') }));
    await runToEnd(migrations, 'addresses');
    const after = (await readItems(item)).find(({ sk }) => sk === 'META');
    const { sdk_signatures: _, extended_signatures: __, signatures: ___, ...before } = item;
    const none = { protected: '', signature: '' };
    expect(after).toEqual({
      ...before,
      signatures: { test: none, live: none },
      gateway_url: address,
      version: 2,
      updated_at: expect.any(String),
    });
  });

  test('has nothing to do the second time', async () => {
    await putRows(unique('org'), 6);
    expect((await runToEnd(migrations, 'addresses')).changed).toBeGreaterThanOrEqual(6);
    expect(await runToEnd(migrations, 'addresses')).toMatchObject({ state: 'done', changed: 0, failed: 0 });
  });

  test('removes the signatures of a row whose address is right and whose key is another', async () => {
    const item = await putRow(unique('org'));
    await runToEnd(migrations, 'addresses');
    await migrations.put({ ...rowItem({ ...(await readRow(item)), ...signedBefore('former') }) });
    expect(await runToEnd(migrations, 'addresses')).toMatchObject({ changed: 1 });
    expect(await hasFormerCard(await readRow(item))).toBe(false);
    const history = (await readItems(item)).filter(({ sk }) => String(sk).startsWith('HISTORY#'));
    expect(history.map(({ changed }) => changed)).toEqual([
      ['agent_card', 'hosted_url', 'card_url'],
      ['agent_card'],
    ]);
  });

  test('has a card signed again by the key that signs now, without a new version of its row', async () => {
    const item = await putRow(unique('org'));
    await runToEnd(migrations, 'addresses');
    const { a2aregistryid } = await readRow(item);
    const sign = async () => await signStoredCard({ a2aregistryid, form: 'live' }, time);
    const { SIGNING_KEY_ID: now } = process.env;
    const signed = await sign();
    // A rotation: the former key is still published, so what it signed is good until the job.
    const [stored] = await migrations.readItems(signaturesKey(a2aregistryid).pk);
    const former = { ...signed, key_id: 'former' };
    await migrations.put({ ...stored, live: former });
    process.env.SIGNING_KEY_ID_OTHER = 'former';
    expect(await sign()).toEqual(former);
    expect(await runToEnd(migrations, 'addresses')).toMatchObject({ changed: 1 });
    expect(await readSignatures(a2aregistryid)).toEqual({});
    delete process.env.SIGNING_KEY_ID_OTHER;
    expect(await sign()).toMatchObject({ key_id: now, digest: signed?.digest });
    expect(await readRow(item)).toMatchObject({ version: 2 });
    expect(await runToEnd(migrations, 'addresses')).toMatchObject({ changed: 0 });
  });

  test('leaves a row alone that a version before has signed with the address and the key of now', async () => {
    const item = await putRow(unique('org'));
    await runToEnd(migrations, 'addresses');
    const { kid } = await publicKey();
    await migrations.put({ ...rowItem({ ...(await readRow(item)), ...signedBefore(kid) }) });
    expect(await runToEnd(migrations, 'addresses')).toMatchObject({ changed: 0 });
  });

  test('lets lists find a row from before the list index, which it writes in the current form', async () => {
    const caller = newCaller();
    const item = await putRow(
      caller.orgid,
      ({ gsi3pk: _, gsi3sk: __, postings: ___, format: ____, ...old }) => old,
    );
    await runToEnd(migrations, 'addresses');
    for (const query of [{ status: ['test' as const] }, { q: 'echo' }]) {
      const { items } = await list(caller, { workspaceid, limit: 100, ...query });
      expect(items.map(({ a2aregistryid }) => a2aregistryid)).toEqual([item.a2aregistryid]);
    }
  });

  test('keeps a promotion that came between reading a row and writing it', async () => {
    const caller = newCaller();
    const item = await putRow(caller.orgid);
    await promote(caller, String(item.a2aregistryid), { at: new Date().toISOString() });
    expect(await jobs.addresses.rewrite(item)).toBe('changed');
    expect(await readRow(item)).toMatchObject({ status: 'live', gateway_url: address, version: 3 });
  });

  test('and promotions at the same time both have their effect', async () => {
    const caller = newCaller();
    const items = await putRows(caller.orgid, 10);
    const at = new Date().toISOString();
    const [{ failed }] = await Promise.all([
      runToEnd(migrations, 'addresses'),
      ...items.map(({ a2aregistryid }) => promote(caller, String(a2aregistryid), { at })),
    ]);
    expect(failed).toBe(0);
    for (const item of items) {
      expect(await readRow(item)).toMatchObject({ status: 'live', gateway_url: address, version: 3 });
      const versions = (await readItems(item)).flatMap(({ sk, version }) => (sk === 'META' ? [] : [version]));
      expect(versions).toEqual([2, 3]);
    }
  });

  test('leaves a row deleted that was deleted in between', async () => {
    const { a2aregistryid, ...row } = storedRow({ orgid: unique('org'), workspaceid });
    const item: Item = { ...rowItem({ a2aregistryid, ...row }) };
    expect(await jobs.addresses.rewrite(item)).toBe('gone');
    expect(await readItems(item)).toEqual([]);
  });
});

describe('a process that is killed', () => {
  test('at any of its calls is continued by the next: each row has one version more and one entry in its history', async () => {
    let kills = 0;
    for (let killedAfter = 1; ; killedAfter = Math.ceil(killedAfter * 1.4)) {
      const items = await putRows(unique('org'), 6);
      const ended = await migrations.slice('addresses', { killedAfter }).catch(() => undefined);
      if (ended?.state === 'done') break;
      kills += 1;
      migrations.pass(60_001);
      expect(await runToEnd(migrations, 'addresses')).toMatchObject({ state: 'done', failed: 0 });
      for (const item of items) {
        expect(await readRow(item)).toMatchObject({ gateway_url: address, version: 2 });
        expect(await readItems(item)).toHaveLength(2);
      }
    }
    expect(kills).toBeGreaterThan(5);
  });
});
