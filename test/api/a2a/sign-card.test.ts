// When a card is signed, how often, and what callers see when that fails. The functions run in this process.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { newRegistryId } from '#lib/ids.ts';
import { signStoredCard } from '#lib/registry/card/sign-card.ts';
import {
  claimForm,
  claimMs,
  readSignatures,
  signaturesKey,
  storeForm,
} from '#lib/registry/card/signature-items.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { agentUrls, rpc } from '#test/support/a2a.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { type CardFunctions, startCardFunctions } from '#test/support/card-signer.ts';
import { verifyBySpecification, verifyWithSdk, verifyWithSdkClient } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { rowWriter, storedRow } from '#test/support/stored-rows.ts';

let cards: CardFunctions;
beforeAll(async () => {
  cards = await startCardFunctions();
});
afterEach(() => {
  Object.assign(cards.faults, { sign: () => 'pass', invoke: () => undefined, afterCall: () => undefined });
});
afterAll(async () => await cards.close());

/** As it is now. */
const current = { 'cache-control': 'no-cache' };
const readCard = async (a2aregistryid: string, key?: string) =>
  await cards.get('getAgentCard', { registryId: a2aregistryid }, { headers: current, ...(key && { key }) });

async function signaturesOf<T>(work: () => Promise<T>): Promise<[T, number]> {
  const before = cards.countSignatures();
  const done = await work();
  return [done, cards.countSignatures() - before];
}

const problem = z.looseObject({ code: z.string() });

describe('a card', () => {
  test('is signed with the first request for it, in two forms, and is the same bytes from then on', async () => {
    const { a2aregistryid } = await liveAgent({ visibility: 'public' });
    expect(await readSignatures(a2aregistryid)).toEqual({});
    const [first, made] = await signaturesOf(async () => await readCard(a2aregistryid));
    expect([first.statusCode, made]).toEqual([200, 2]);
    await verifyBySpecification(JSON.parse(first.body));
    await verifyWithSdkClient(JSON.parse(first.body));
    const [again, more] = await signaturesOf(async () => await readCard(a2aregistryid));
    expect([again.body, again.headers.etag, more]).toEqual([first.body, first.headers.etag, 0]);
  });

  test('is signed once for two that ask for it first at the same time, and both get the same bytes', async () => {
    const { a2aregistryid } = await liveAgent({ visibility: 'public' });
    const ask = async () => (await readCard(a2aregistryid)).body;
    const [bodies, made] = await signaturesOf(
      async () => await Promise.all([ask(), ask(), ask(), ask(), ask()]),
    );
    expect([new Set(bodies).size, made]).toEqual([1, 2]);
    await verifyWithSdk(JSON.parse(bodies[0] ?? ''));
  });

  test('of the form of 0.3 is not signed', async () => {
    const { a2aregistryid } = await liveAgent({ visibility: 'public' });
    const [{ statusCode }, made] = await signaturesOf(
      async () => await cards.get('getAgentCard', { registryId: a2aregistryid }, { v03: true }),
    );
    expect([statusCode, made, await readSignatures(a2aregistryid)]).toEqual([200, 0, {}]);
  });

  test('is signed again after an update, and for the live URL after a promotion, which waits for nothing', async () => {
    const caller = await newCaller();
    const row = await newRow(caller, { visibility: 'public' });
    const read = async () => await signaturesOf(async () => (await readCard(row.a2aregistryid)).body);
    const [inTest] = await read();
    cards.faults.sign = () => ({ status: 500, error: { __type: 'KMSInternalException' } });
    await promoted(caller, row);
    cards.faults.sign = () => 'pass';
    const [live, forLive] = await read();
    await call('updateRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: row.a2aregistryid },
      body: { agent_card: card({ name: 'Renamed' }), visibility: 'public' },
    });
    const [renamed, forUpdate] = await read();
    expect([forLive, forUpdate, new Set([inTest, live, renamed]).size]).toEqual([2, 2, 3]);
    for (const body of [inTest, live, renamed]) await verifyBySpecification(JSON.parse(body));
  });

  test('that a version before signed when it was written is served with those signatures', async () => {
    const { orgid, workspaceid } = await newCaller();
    const signature = { protected: 'e30', signature: 'AAAA' };
    const both = { test: [signature], live: [signature] };
    const signatures = { test: signature, live: signature };
    const row = storedRow({ orgid, workspaceid, visibility: 'public', signatures, sdk_signatures: both });
    await rowWriter().put(row);
    const [{ body }, made] = await signaturesOf(async () => await readCard(row.a2aregistryid));
    expect([JSON.parse(body).signatures, made]).toEqual([[signature, signature], 0]);
  });
});

describe('nobody causes signatures', () => {
  test('of a card that they may not read', async () => {
    const { a2aregistryid, flowid } = await liveAgent();
    const stranger = await newCaller();
    const [answers, made] = await signaturesOf(async () => [
      await readCard(a2aregistryid),
      await readCard(a2aregistryid, stranger.key),
      await readCard(a2aregistryid, 'bad'),
    ]);
    expect([answers.map(({ statusCode }) => statusCode), made]).toEqual([[401, 401, 401], 0]);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard' });
    const headers = { 'x-api-key': stranger.key, 'a2a-version': '1.0', 'content-type': 'application/json' };
    const { agent } = agentUrls({ a2aregistryid, flowid });
    expect((await fetch(agent, { method: 'POST', headers, body })).status).toBe(401);
    expect(await readSignatures(a2aregistryid)).toEqual({});
  });

  test('of an extended card but callers of its organisation: others get the public card of a public agent', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const ask = async ({ key }: Pick<TestCaller, 'key'>) =>
      await rpc(agentUrls(agent).live, key, 'GetExtendedAgentCard');
    await ask(stranger);
    expect(Object.keys(await readSignatures(agent.a2aregistryid))).toEqual(['live']);
    await ask(agent);
    expect(Object.keys(await readSignatures(agent.a2aregistryid))).toEqual(['live', 'extended_live']);
  });

  test('twice for one version of a card, however often they ask', async () => {
    const { a2aregistryid } = await liveAgent({ visibility: 'public' });
    const [, made] = await signaturesOf(async () => {
      for (let n = 0; n < 10; n += 1) await readCard(a2aregistryid);
    });
    expect(made).toBe(2);
  });
});

describe('a failure', () => {
  const failures: [string, () => void, () => void][] = [
    [
      'of KMS',
      () => {
        cards.faults.sign = () => ({ status: 500, error: { __type: 'KMSInternalException' } });
      },
      () => {
        cards.faults.sign = () => 'pass';
      },
    ],
    [
      'of the function that signs',
      () => {
        cards.faults.invoke = () => 429;
      },
      () => {
        cards.faults.invoke = () => undefined;
      },
    ],
  ];

  test.each(failures)('%s is 503 with Retry-After, and the next request succeeds', async (_, fail, mend) => {
    const { a2aregistryid } = await liveAgent({ visibility: 'public' });
    fail();
    const { statusCode, headers, body } = await readCard(a2aregistryid);
    expect([statusCode, headers['retry-after']]).toEqual([503, '2']);
    expect(problem.parse(JSON.parse(body)).code).toBe('dependency_unavailable');
    mend();
    expect((await readCard(a2aregistryid)).statusCode).toBe(200);
  });

  test.each(failures)('%s does not concern cards that are signed', async (_, fail) => {
    const { a2aregistryid } = await liveAgent({ visibility: 'public' });
    const { body } = await readCard(a2aregistryid);
    fail();
    expect((await readCard(a2aregistryid)).body).toBe(body);
  });
});

describe('the function', () => {
  /** A clock that only pauses move. */
  const clock = (start = Date.now()) => {
    let ms = start;
    return {
      now: () => ms,
      pause: async (by: number) => {
        ms += by;
      },
      pass: (by: number) => {
        ms += by;
      },
    };
  };
  const unsigned = async () => {
    const { a2aregistryid } = await liveAgent();
    const row = await readRow(a2aregistryid);
    if (!row) throw new Error('There is no row.');
    return row;
  };

  test('waits for a process that signs, gives up in time, and signs itself when that one must have died', async () => {
    const row = await unsigned();
    const { a2aregistryid } = row;
    const time = clock();
    const request = { a2aregistryid, form: 'live' } as const;
    await claimForm({ row, stored: {} }, 'live', time.now());
    await expect(signStoredCard(request, time)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    expect(await readSignatures(a2aregistryid)).toEqual({});
    time.pass(claimMs);
    expect(await signStoredCard(request, time)).toEqual((await readSignatures(a2aregistryid)).live);
  });

  test('stores nothing over what another process has signed since its claim expired', async () => {
    const row = await unsigned();
    const { a2aregistryid } = row;
    const claimedAt = Date.now();
    await claimForm({ row, stored: {} }, 'live', claimedAt);
    const winner = await signStoredCard({ a2aregistryid, form: 'live' }, clock(claimedAt + claimMs + 1));
    if (!winner) throw new Error('Nothing was signed.');
    const signed = { ...winner, signed_at: new Date(claimedAt).toISOString() };
    expect(await storeForm(a2aregistryid, 'live', { signed, claimedAt })).toBe(false);
    expect((await readSignatures(a2aregistryid)).live).toEqual(winner);
  });

  test('signs nothing that another process has signed since it read the build', async () => {
    const row = await unsigned();
    const time = clock();
    const winner = await signStoredCard({ a2aregistryid: row.a2aregistryid, form: 'live' }, time);
    expect(await claimForm({ row, stored: {} }, 'live', time.now())).toBe(false);
    const stored = await readSignatures(row.a2aregistryid);
    expect(stored.live).toEqual(winner);
    expect(await claimForm({ row, stored }, 'live', time.now())).toBe(true);
  });

  test('does not sign for a build that does not exist, and refuses what is no build', async () => {
    const a2aregistryid = newRegistryId();
    expect(await signStoredCard({ a2aregistryid, form: 'test' }, clock())).toBeUndefined();
    expect(await getItem(controlTable, signaturesKey(a2aregistryid))).toBeUndefined();
    const { handler } = await import('#functions/a2a/sign-card.ts');
    await expect(handler({ a2aregistryid, form: 'test', card: { name: 'Mine' } })).rejects.toThrow();
    await expect(handler({ a2aregistryid: 'reg', form: 'other' })).rejects.toThrow();
  });
});

describe('a deletion', () => {
  const remove = async ({ key }: TestCaller, a2aregistryid: string) =>
    await call('deleteRegistryRow', { key, params: { a2aregistryid } });

  test('takes the signatures of the build with it', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    await readCard(agent.a2aregistryid);
    expect(Object.keys(await readSignatures(agent.a2aregistryid))).toEqual(['live']);
    await remove(agent, agent.a2aregistryid);
    expect(await getItem(controlTable, signaturesKey(agent.a2aregistryid))).toBeUndefined();
    expect((await readCard(agent.a2aregistryid)).statusCode).toBe(401);
  });

  test('that comes while the card is signed leaves no signatures', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    let isDeleted = false;
    let reads = 0;
    // The second read is that of the function that signs.
    cards.faults.afterCall = ({ operation }) => {
      if (operation === 'BatchGetItem') reads += 1;
      if (reads !== 2 || isDeleted) return undefined;
      isDeleted = true;
      return remove(agent, agent.a2aregistryid).then(() => undefined);
    };
    expect((await readCard(agent.a2aregistryid)).statusCode).toBe(401);
    expect(isDeleted).toBe(true);
    expect(await getItem(controlTable, signaturesKey(agent.a2aregistryid))).toBeUndefined();
  });
});
