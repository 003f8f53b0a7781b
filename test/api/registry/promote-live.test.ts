import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { fetchCurrentCard, listUrls, verifyBySpecification, verifyWithSdk } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { testedService } from '#test/support/tested-service.ts';

const read = async ({ key }: TestCaller, a2aregistryid: string) =>
  (await call('getRegistryRow', { key, params: { a2aregistryid } })).body;

const promoteOver = async ({ key }: TestCaller, { a2aregistryid }: RegistryRow, expected_live: string) =>
  await call('promoteRegistryRow', { key, params: { a2aregistryid }, query: { expected_live } });

const agents = () => `${testedService().baseUrl}/api/v1/ai/a2a`;

describe('200', () => {
  test('the promoted row is live, at the short URL of its flow', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const live = await promoted(caller, row);
    const url = `${agents()}/${row.flowid}/`;
    expect(live).toEqual({
      ...row,
      status: 'live',
      version: 2,
      updated_at: live.updated_at,
      hosted_url: url,
      card_url: `${url}.well-known/agent-card.json`,
      agent_card: live.agent_card,
    });
    expect(live.agent_card.supportedInterfaces.map((each) => each.url)).toEqual([
      url,
      `${url}rest`,
      `${url}v0.3`,
    ]);
    expect(await read(caller, row.a2aregistryid)).toEqual(live);
  });

  test('promoting a row returns the former live row to test', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const first = await newRow(caller, { flowid });
    const second = await newRow(caller, { flowid });
    expect(await promoted(caller, first)).not.toHaveProperty('demoted');
    expect(await promoted(caller, second)).toMatchObject({ demoted: first.a2aregistryid });
    expect(await read(caller, first.a2aregistryid)).toMatchObject({
      status: 'test',
      version: 3,
      hosted_url: first.hosted_url,
      agent_card: first.agent_card,
    });
    expect((await read(caller, second.a2aregistryid)).status).toBe('live');
    await promoted(caller, first);
    expect((await read(caller, second.a2aregistryid)).status).toBe('test');
  });

  test('promoting the live row again changes nothing', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const live = await promoted(caller, row);
    expect(await promoted(caller, row)).toEqual(live);
    expect(await read(caller, row.a2aregistryid)).toEqual(live);
  });

  test('a live row that was updated meanwhile is demoted as well', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const first = await promoted(caller, await newRow(caller, { flowid }));
    const second = await newRow(caller, { flowid });
    const params = { a2aregistryid: first.a2aregistryid };
    await call('updateRegistryRow', { key: caller.key, params, body: { agent_card: card() } });
    expect(await promoted(caller, second)).toMatchObject({ demoted: first.a2aregistryid });
    expect(await read(caller, first.a2aregistryid)).toMatchObject({ status: 'test', version: 4 });
  });

  test('the cards of both rows have their new URLs and valid signatures', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const first = await promoted(caller, await newRow(caller, { flowid }));
    const second = await promoted(caller, await newRow(caller, { flowid }));
    const demoted = await read(caller, first.a2aregistryid);
    expect(listUrls(second.agent_card)).toEqual([`${agents()}/${flowid}/`]);
    expect(listUrls(demoted.agent_card)).toEqual([`${agents()}/${flowid}/${first.a2aregistryid}/`]);
    for (const { agent_card, card_url } of [second, demoted]) {
      const served = await fetchCurrentCard(card_url, caller.key);
      expect(served).toMatchObject(agent_card);
      await verifyWithSdk(served);
      await verifyBySpecification(served);
    }
  });

  test('a promotion that expects the current live build succeeds, and so does its repetition', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const [first, second] = [await newRow(caller, { flowid }), await newRow(caller, { flowid })];
    expect((await promoteOver(caller, first, 'none')).body).not.toHaveProperty('demoted');
    const live = (await promoteOver(caller, second, first.a2aregistryid)).body;
    expect(live).toMatchObject({ status: 'live', demoted: first.a2aregistryid });
    const { demoted: _, ...again } = live;
    expect((await promoteOver(caller, second, first.a2aregistryid)).body).toEqual(again);
  });

  test('promotions do not affect other flows and workspaces, and the short URL stays with the first workspace', async () => {
    const flowid = unique('flow');
    const owner = await newCaller();
    const sibling = { ...owner, workspaceid: unique('ws') };
    const stranger = await newCaller();
    const rows = [
      await newRow(owner, { flowid }),
      await newRow(sibling, { flowid }),
      await newRow(stranger, { flowid }),
    ];
    const callers = [owner, sibling, stranger];
    const live = await Promise.all(rows.map((row, n) => promoted(callers[n] ?? owner, row)));
    const other = await promoted(owner, await newRow(owner));
    expect(live.map((row) => row.hosted_url)).toEqual([
      `${agents()}/${flowid}/`,
      `${agents()}/agents/${live[1]?.a2aregistryid}/`,
      `${agents()}/agents/${live[2]?.a2aregistryid}/`,
    ]);
    for (const [n, row] of [...live.entries()])
      expect(await read(callers[n] ?? owner, row.a2aregistryid)).toEqual(row);
    expect(await read(owner, other.a2aregistryid)).toEqual(other);
  });

  test('a body and its content type are ignored', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await newRow(caller);
    const odd = { text: 'not JSON', headers: { 'content-type': 'text/plain' } };
    expect(
      (await call('promoteRegistryRow', { key: caller.key, params: { a2aregistryid }, ...odd })).body.status,
    ).toBe('live');
  });

  test('after concurrent promotions one row is live, and all get an answer', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const rows = await Promise.all([1, 2, 3, 4].map(() => newRow(caller, { flowid })));
    const answers = await Promise.all(
      rows.map(({ a2aregistryid }) =>
        call('promoteRegistryRow', { key: caller.key, params: { a2aregistryid } }),
      ),
    );
    for (const answer of answers)
      if (answer.status !== 200) expect(answer.problem.code).toBe('promotion_conflict');
    const now = await Promise.all(rows.map((row) => read(caller, row.a2aregistryid)));
    expect(now.filter((row) => row.status === 'live')).toHaveLength(1);
  });
});

describe('409', () => {
  test('a promotion that expects another live build changes nothing, and the error names the live one', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const [first, second] = [await newRow(caller, { flowid }), await newRow(caller, { flowid })];
    const conflict = async (expected: string) => {
      const { problem } = await promoteOver(caller, second, expected);
      expect(problem.code).toBe('promotion_conflict');
      return problem.detail;
    };
    expect(await conflict(first.a2aregistryid)).toContain('no build is live');
    expect(await conflict(second.a2aregistryid)).toContain('no build is live');
    await promoted(caller, first);
    for (const expected of ['none', second.a2aregistryid, newRegistryId()])
      expect(await conflict(expected)).toContain(`${first.a2aregistryid} is live`);
    expect(await read(caller, second.a2aregistryid)).toEqual(second);
  });

  test('of concurrent promotions that expect the same build one wins, and the errors of the others name it', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const rows = await Promise.all([1, 2, 3, 4].map(() => newRow(caller, { flowid })));
    const answers = await Promise.all(rows.map((row) => promoteOver(caller, row, 'none')));
    const winners = answers.filter(({ status }) => status === 200).map(({ body }) => body.a2aregistryid);
    expect(winners).toHaveLength(1);
    for (const { problem } of answers.filter(({ status }) => status !== 200)) {
      expect(problem.code).toBe('promotion_conflict');
      expect(problem.detail).toContain(`${winners[0]} is live`);
    }
  });
});

describe('400', () => {
  test('a malformed expected live build is reported', async () => {
    const caller = await newCaller();
    const { problem } = await promoteOver(caller, await newRow(caller), 'build-1');
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/query/expected_live' }],
    });
  });

  test('a malformed id is reported', async () => {
    const { key } = await newCaller();
    const { problem } = await call('promoteRegistryRow', { key, params: { a2aregistryid: 'build-1' } });
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/path/a2aregistryid' }],
    });
  });
});

describe('403', () => {
  test('a key without the permission to update gets its name', async () => {
    const { key } = await newCaller({ scopes: ['assistants.flows:read'] });
    const { problem } = await call('promoteRegistryRow', { key, params: { a2aregistryid: newRegistryId() } });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:update');
  });
});

describe('404', () => {
  test('a row that was deleted cannot be promoted', async () => {
    const caller = await newCaller();
    const params = { a2aregistryid: (await newRow(caller)).a2aregistryid };
    await call('deleteRegistryRow', { key: caller.key, params });
    expect((await call('promoteRegistryRow', { key: caller.key, params })).problem.code).toBe(
      'row_not_found',
    );
  });
});
