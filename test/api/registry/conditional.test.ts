// ETag, If-None-Match and If-Match (RFC 9110 §13) on the registry and on Agent Cards.
import { describe, expect, test } from 'vitest';
import { card, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const get = async ({ key }: TestCaller, a2aregistryid: string, headers = {}, query = {}) =>
  await call('getRegistryRow', { key, params: { a2aregistryid }, headers, query });

/** Every operation that changes a row, as a request with an If-Match. */
const changes = {
  update: async ({ key }: TestCaller, a2aregistryid: string, ifMatch: string) =>
    await call('updateRegistryRow', {
      key,
      params: { a2aregistryid },
      body: { agent_card: card({ name: unique('name') }) },
      headers: { 'if-match': ifMatch },
    }),
  promote: async ({ key }: TestCaller, a2aregistryid: string, ifMatch: string) =>
    await call('promoteRegistryRow', { key, params: { a2aregistryid }, headers: { 'if-match': ifMatch } }),
  delete: async ({ key }: TestCaller, a2aregistryid: string, ifMatch: string) =>
    await call('deleteRegistryRow', { key, params: { a2aregistryid }, headers: { 'if-match': ifMatch } }),
};
const everyChange = Object.entries(changes);

describe('200', () => {
  test('the ETag of every answer with one row is the version of the row', async () => {
    const caller = await newCaller();
    const { key, workspaceid } = caller;
    const body = { flowid: unique('flow'), agent_card: card(), flow: flow() };
    const created = await call('createRegistryRow', { key, query: { workspaceid }, body });
    const id = created.body.a2aregistryid;
    const tags = [created, await changes.update(caller, id, '*'), await changes.promote(caller, id, '*')];
    expect(tags.map(({ headers }) => headers.get('etag'))).toEqual(['"1"', '"2"', '"3"']);
    const read = await get(caller, id);
    expect(read.headers.get('etag')).toBe('"3"');
    expect(read.headers.get('cache-control')).toBe('private, no-cache');
  });

  test.each(everyChange)(
    '%s succeeds with If-Match of the version that was read, and of *',
    async (_name, change) => {
      const caller = await newCaller();
      for (const ifMatch of ['"1"', ' "1" ', '*']) {
        const row = await newRow(caller);
        expect((await change(caller, row.a2aregistryid, ifMatch)).status).toBeLessThan(300);
      }
    },
  );

  test.each(['"2"', 'W/"2"', '"x", "y"', 'nonsense', '1', '""'])(
    'a row comes whole when If-None-Match (%s) does not name its version',
    async (known) => {
      const caller = await newCaller();
      const row = await newRow(caller);
      expect((await get(caller, row.a2aregistryid, { 'if-none-match': known })).body).toEqual(row);
    },
  );
});

describe('304', () => {
  test.each(['"1"', 'W/"1"', '"0", "1"', '*'])(
    'a row that the caller has (%s) is not sent again',
    async (known) => {
      const caller = await newCaller();
      const { a2aregistryid } = await newRow(caller);
      const answer = await get(caller, a2aregistryid, { 'if-none-match': known });
      expect([answer.status, answer.headers.get('etag')]).toEqual([304, '"1"']);
      expect((await get(caller, a2aregistryid, { 'if-none-match': known }, { flow: 'true' })).status).toBe(
        304,
      );
    },
  );

  test('every change of the row, also a demotion, changes its ETag', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const first = await promoted(caller, await newRow(caller, { flowid }));
    const known = { 'if-none-match': `"${first.version}"` };
    expect((await get(caller, first.a2aregistryid, known)).status).toBe(304);
    await promoted(caller, await newRow(caller, { flowid }));
    expect((await get(caller, first.a2aregistryid, known)).body.status).toBe('test');
  });

  test("an Agent Card with the client's ETag is not sent again", async () => {
    const caller = await newCaller();
    const row = await promoted(caller, await newRow(caller, { visibility: 'public' }));
    const operations = [
      ['getLiveCard', { flowId: row.flowid }],
      ['getTestCard', { flowId: row.flowid, registryId: row.a2aregistryid }],
      ['getAgentCard', { registryId: row.a2aregistryid }],
    ] as const;
    for (const [operation, params] of operations) {
      const etag = (await call(operation, { params })).headers.get('etag') ?? '';
      const again = await call(operation, { params, headers: { 'if-none-match': etag } });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      expect(again.headers.get('cache-control')).toBe('public, max-age=60');
    }
  });

  test('the ETag of the card at a live URL changes when another build of the same version is promoted', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const liveCard = async (known = {}) =>
      await call('getLiveCard', {
        params: { flowId: flowid },
        headers: { 'cache-control': 'no-cache', ...known },
      });
    await promoted(caller, await newRow(caller, { flowid, visibility: 'public' }));
    const etag = (await liveCard()).headers.get('etag') ?? '';
    await promoted(caller, await newRow(caller, { flowid, visibility: 'public' }));
    expect((await liveCard({ 'if-none-match': etag })).status).toBe(200);
  });

  test('callers without access get 404 or 401, whatever their ETag', async () => {
    const owner = await newCaller();
    const { a2aregistryid } = await newRow(owner);
    const stranger = await newCaller();
    expect((await get(stranger, a2aregistryid, { 'if-none-match': '*' })).problem.code).toBe('row_not_found');
    const options = { params: { registryId: a2aregistryid }, headers: { 'if-none-match': '*' } };
    expect((await call('getAgentCard', options)).problem.code).toBe('unauthenticated');
  });
});

describe('400', () => {
  const malformed = ['1', '"1', '"1", "2"', 'null', '**', "'1'", '""""'];
  test.each(everyChange)(
    '%s with a malformed If-Match names it and changes nothing',
    async (_name, change) => {
      const caller = await newCaller();
      const row = await newRow(caller);
      for (const ifMatch of malformed) {
        const { problem } = await change(caller, row.a2aregistryid, ifMatch);
        expect(problem).toMatchObject({
          code: 'validation_failed',
          errors: [{ pointer: '/headers/if-match' }],
        });
      }
      expect((await get(caller, row.a2aregistryid)).body).toEqual(row);
    },
  );
});

describe('404', () => {
  test.each(everyChange)('%s of a row of others does not reveal its version', async (_name, change) => {
    const { a2aregistryid } = await newRow(await newCaller());
    expect((await change(await newCaller(), a2aregistryid, '"9"')).problem.code).toBe('row_not_found');
  });
});

describe('412', () => {
  test.each(everyChange)(
    '%s with another version names the current one, and changes nothing',
    async (_name, change) => {
      const caller = await newCaller();
      const { a2aregistryid } = await newRow(caller);
      const { body: row } = await changes.update(caller, a2aregistryid, '"1"');
      for (const ifMatch of ['"1"', '"3"', 'W/"2"', '"two"', '""']) {
        const { problem } = await change(caller, a2aregistryid, ifMatch);
        expect(problem.code).toBe('precondition_failed');
        expect(problem.detail).toContain('version 2');
      }
      expect((await get(caller, a2aregistryid)).body).toEqual(row);
    },
  );

  test('of concurrent changes that expect the same version exactly one succeeds', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await newRow(caller);
    const kinds = ['update', 'promote', 'update', 'promote', 'update', 'promote'] as const;
    const answers = await Promise.all(kinds.map((kind) => changes[kind](caller, a2aregistryid, '"1"')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(['precondition_failed', 'version_conflict', 'promotion_conflict']).toContain(
        answer.problem.code,
      );
    expect((await get(caller, a2aregistryid)).body.version).toBe(2);
  });
});
