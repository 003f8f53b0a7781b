import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { fetchCurrentCard, verifyWithSdk } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { testedService } from '#test/support/tested-service.ts';

interface Named {
  readonly a2aregistryid: string;
}
const rolledBack = async ({ key }: TestCaller, { a2aregistryid }: Named) =>
  await call('rollBackRegistryRow', { key, params: { a2aregistryid } });
const read = async ({ key }: TestCaller, { a2aregistryid }: Named) =>
  (await call('getRegistryRow', { key, params: { a2aregistryid } })).body;

/** So many builds of a flow, each promoted over the one before. */
async function builds(caller: TestCaller, count: number) {
  const flowid = unique('flow');
  const rows: Named[] = [];
  for (let n = 0; n < count; n += 1) rows.push(await promoted(caller, await newRow(caller, { flowid })));
  const [first, second, third] = rows;
  if (!first || !second) throw new Error('There are two builds.');
  return { flowid, first, second, third: third ?? second };
}

describe('200', () => {
  test('the build that was live before is live again, and the row in the request returns to test', async () => {
    const caller = await newCaller();
    const { flowid, first, second } = await builds(caller, 2);
    const { body } = await rolledBack(caller, second);
    const { demoted, ...row } = body;
    expect(row).toEqual(await read(caller, first));
    expect(body).toMatchObject({
      a2aregistryid: first.a2aregistryid,
      status: 'live',
      version: 4,
      hosted_url: `${testedService().baseUrl}/api/v1/ai/a2a/${flowid}/`,
    });
    expect(demoted).toBe(second.a2aregistryid);
    expect(await read(caller, second)).toMatchObject({ status: 'test', version: 3 });
    await verifyWithSdk(await fetchCurrentCard(body.card_url, caller.key));
  });

  test('the histories of both rows record the rollback', async () => {
    const caller = await newCaller();
    const { first, second } = await builds(caller, 2);
    const requestId = (await rolledBack(caller, second)).headers.get('x-request-id');
    const newest = async ({ a2aregistryid }: Named) =>
      (await call('getRegistryRowHistory', { key: caller.key, params: { a2aregistryid } })).body.items[0];
    const change = { by: caller.id, request_id: requestId };
    expect(await newest(first)).toMatchObject({
      ...change,
      action: 'restored',
      demoted: second.a2aregistryid,
    });
    expect(await newest(second)).toMatchObject({
      ...change,
      action: 'rolled_back',
      successor: first.a2aregistryid,
    });
  });

  test('a second rollback goes back one more build', async () => {
    const caller = await newCaller();
    const { first, second, third } = await builds(caller, 3);
    expect((await rolledBack(caller, third)).body.a2aregistryid).toBe(second.a2aregistryid);
    expect((await rolledBack(caller, second)).body.a2aregistryid).toBe(first.a2aregistryid);
    expect((await rolledBack(caller, first)).problem.code).toBe('no_former_build');
  });

  test('the former build keeps its later updates, and the build that was rolled back can be promoted again', async () => {
    const caller = await newCaller();
    const { first, second } = await builds(caller, 2);
    await call('updateRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: first.a2aregistryid },
      body: { agent_card: card({ name: 'Mended' }) },
    });
    expect((await rolledBack(caller, second)).body.agent_card.name).toBe('Mended');
    expect(await promoted(caller, second)).toMatchObject({ demoted: first.a2aregistryid });
  });
});

describe('403', () => {
  test('a key without the permission to update gets its name', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:read'] });
    const { problem } = await rolledBack(caller, { a2aregistryid: newRegistryId() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:update');
  });
});

describe('404', () => {
  test('a missing row and one of another organisation give the same error, and nothing changes', async () => {
    const caller = await newCaller();
    const { second } = await builds(caller, 2);
    for (const answer of [
      await rolledBack(await newCaller(), second),
      await rolledBack(caller, { a2aregistryid: newRegistryId() }),
    ])
      expect(answer.problem.code).toBe('row_not_found');
    expect((await read(caller, second)).status).toBe('live');
  });
});

describe('409', () => {
  test('only the live build can be rolled back, so a rollback that is sent twice takes effect once', async () => {
    const caller = await newCaller();
    const { first, third, second } = await builds(caller, 3);
    await rolledBack(caller, third);
    for (const row of [third, first]) {
      const { problem } = await rolledBack(caller, row);
      expect(problem.code).toBe('row_not_live');
      expect(problem.detail).toContain(`${second.a2aregistryid} is live`);
    }
    expect((await read(caller, second)).status).toBe('live');
  });

  test('a flow without a live build is refused with that reason', async () => {
    const caller = await newCaller();
    const { problem } = await rolledBack(caller, await newRow(caller));
    expect(problem).toMatchObject({
      code: 'row_not_live',
      detail: expect.stringContaining('No build of the flow is live'),
    });
  });

  test('neither the first build nor one whose predecessor was deleted can be rolled back', async () => {
    const caller = await newCaller();
    const { problem } = await rolledBack(caller, await promoted(caller, await newRow(caller)));
    expect(problem).toMatchObject({ code: 'no_former_build', detail: 'No build was live before this one.' });
    const { first, second } = await builds(caller, 2);
    await call('deleteRegistryRow', { key: caller.key, params: { a2aregistryid: first.a2aregistryid } });
    const gone = (await rolledBack(caller, second)).problem;
    expect(gone.code).toBe('no_former_build');
    expect(gone.detail).toContain(`${first.a2aregistryid}, which was live before this one, has been deleted`);
    expect((await read(caller, second)).status).toBe('live');
  });

  test('of two concurrent rollbacks one succeeds, and the other is refused', async () => {
    const caller = await newCaller();
    const { first, third, second } = await builds(caller, 3);
    const answers = await Promise.all([rolledBack(caller, third), rolledBack(caller, third)]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ problem }) => problem.code)).toEqual(['row_not_live']);
    expect((await read(caller, second)).status).toBe('live');
    expect((await read(caller, first)).status).toBe('test');
  });
});
