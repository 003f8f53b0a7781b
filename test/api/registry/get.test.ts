import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const get = async ({ key }: Pick<TestCaller, 'key'>, a2aregistryid: string, query = {}) =>
  await call('getRegistryRow', { key, params: { a2aregistryid }, query });

describe('200', () => {
  test('a row reads as it was created', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    expect((await get(caller, row.a2aregistryid)).body).toEqual(row);
  });

  test('the flow is returned only on request, as it was sent', async () => {
    const caller = await newCaller();
    const sent = flow({
      description: 'Größe — 大きさ 🙂 \u0000',
      state: { deep: [{ a: [1.5, null, true, ''] }] },
    });
    const row = await newRow(caller, { flow: sent });
    expect((await get(caller, row.a2aregistryid, { flow: 'true' })).body.flow).toEqual(sent);
    expect((await get(caller, row.a2aregistryid, { flow: 'false' })).body.flow).toBeUndefined();
    expect((await get(caller, row.a2aregistryid)).body.flow).toBeUndefined();
  });

  test('the flow is returned with its manifest: what it may reach and use', async () => {
    const caller = await newCaller();
    const nodes = { call: { type: 'flow', flowid: 'other', next: 'done' }, ...flow().nodes };
    const row = await newRow(caller, {
      flow: flow({ start: 'call', nodes, limits: { max_steps: 30, max_model_calls: 5 } }),
    });
    const { manifest } = (await get(caller, row.a2aregistryid, { flow: 'true' })).body;
    expect(manifest).toMatchObject({
      flows: ['other'],
      hosts: [],
      pauses: true,
      worst_case: { steps: 30, model_calls: 5 },
    });
    expect((await get(caller, row.a2aregistryid)).body.manifest).toBeUndefined();
  });

  test('a bearer token is accepted like X-API-Key', async () => {
    const { key, ...caller } = await newCaller();
    const row = await newRow({ key, ...caller });
    const headers = { 'x-api-key': '', authorization: `Bearer ${key}` };
    expect(
      (await call('getRegistryRow', { params: { a2aregistryid: row.a2aregistryid }, headers })).body,
    ).toEqual(row);
  });

  test('a live row has its live URLs', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const live = await promoted(caller, row);
    expect((await get(caller, row.a2aregistryid)).body).toEqual(live);
    expect(live.hosted_url.endsWith(`/api/v1/ai/a2a/${row.flowid}/`)).toBe(true);
  });
});

describe('400', () => {
  test.each([
    ['an id of the wrong form', 'reg_1', {}, '/path/a2aregistryid'],
    ['a flag that is neither true nor false', newRegistryId(), { flow: 'yes' }, '/query/flow'],
    ['an empty flag', newRegistryId(), { flow: '' }, '/query/flow'],
    ['a parameter given twice', newRegistryId(), { flow: ['true', 'true'] }, '/query/flow'],
    ['a parameter that is not known', newRegistryId(), { fields: 'id' }, '/query/fields'],
  ])('%s is reported', async (_what, id, query, pointer) => {
    const { problem } = await get(await newCaller(), id, query);
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
  });
});

describe('403', () => {
  test('a key without the permission to read gets its name', async () => {
    const { problem } = await get(await newCaller({ scopes: ['assistants.flows:create'] }), newRegistryId());
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:read');
  });
});

describe('404', () => {
  test('rows of another organisation or workspace and missing rows give the same answer, byte for byte', async () => {
    const owner = await newCaller();
    const { a2aregistryid: id } = await newRow(owner);
    const strangers = [
      await newCaller(),
      await newCaller({ workspaces: [owner.workspaceid] }),
      await newCaller({ orgid: owner.orgid, workspaces: [unique('ws')] }),
    ];
    for (const stranger of strangers) {
      const missing = newRegistryId();
      for (const operation of ['getRegistryRow', 'promoteRegistryRow', 'deleteRegistryRow'] as const) {
        const [foreign, none] = await Promise.all(
          [id, missing].map((a2aregistryid) =>
            call(operation, { key: stranger.key, params: { a2aregistryid } }),
          ),
        );
        expect(foreign?.problem.code).toBe('row_not_found');
        const same = (text = '', named = '', instance = '') =>
          text.replace(named, 'ID').replace(instance, 'REQUEST');
        expect(same(foreign?.text, id, foreign?.problem.instance)).toBe(
          same(none?.text, missing, none?.problem.instance),
        );
        expect([...(foreign?.headers.keys() ?? [])]).toEqual([...(none?.headers.keys() ?? [])]);
      }
    }
    expect((await get(owner, id)).status).toBe(200);
  });
});

describe('sizes', () => {
  test('a flow of almost 2 MB is returned as it was sent', async () => {
    const caller = await newCaller();
    // Random text, so that compression does not make the payload small: it is stored in several chunks.
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(45_000))).toString('base64');
    const sent = flow({ state: { noise: Array.from({ length: 32 }, noise) } });
    expect(JSON.stringify(sent).length).toBeGreaterThan(1_900_000);
    const row = await newRow(caller, { flow: sent });
    expect((await get(caller, row.a2aregistryid, { flow: 'true' })).body.flow).toEqual(sent);
  });
});
