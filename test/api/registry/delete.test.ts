import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const remove = async ({ key }: TestCaller, a2aregistryid: string) =>
  await call('deleteRegistryRow', { key, params: { a2aregistryid } });

describe('204', () => {
  test('a deleted row is not found, nor listed', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    expect((await remove(caller, row.a2aregistryid)).status).toBe(204);
    const params = { a2aregistryid: row.a2aregistryid };
    expect((await call('getRegistryRow', { key: caller.key, params })).problem.code).toBe('row_not_found');
    const { body } = await call('listRegistryRows', {
      key: caller.key,
      query: { workspaceid: caller.workspaceid },
    });
    expect(body.items).toEqual([]);
  });

  test('deleting the live row leaves the flow without a live build, and another can be promoted', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const first = await newRow(caller, { flowid });
    const second = await newRow(caller, { flowid });
    await promoted(caller, first);
    await remove(caller, first.a2aregistryid);
    const listed = async () =>
      (
        await call('listRegistryRows', {
          key: caller.key,
          query: { workspaceid: caller.workspaceid, flowid },
        })
      ).body.items;
    expect((await listed()).map((row) => row.status)).toEqual(['test']);
    expect((await promoted(caller, second)).status).toBe('live');
    expect((await listed()).map((row) => row.status)).toEqual(['live']);
  });

  test('deleting a test row does not change the live one', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const live = await promoted(caller, await newRow(caller, { flowid }));
    await remove(caller, (await newRow(caller, { flowid })).a2aregistryid);
    const { body } = await call('getRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: live.a2aregistryid },
    });
    expect(body).toEqual(live);
  });

  test('build numbers are not reused', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    await remove(caller, (await newRow(caller, { flowid })).a2aregistryid);
    expect((await newRow(caller, { flowid })).build_no).toBe(2);
  });
});

describe('400', () => {
  test('a malformed id is reported', async () => {
    const { problem } = await remove(await newCaller(), 'x');
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/path/a2aregistryid' }],
    });
  });
});

describe('403', () => {
  test('a key without the permission to delete gets its name', async () => {
    const { problem } = await remove(
      await newCaller({ scopes: ['assistants.flows:update'] }),
      newRegistryId(),
    );
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:delete');
  });
});

describe('404', () => {
  test('a row can be deleted once, also by concurrent requests', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await newRow(caller);
    const answers = await Promise.all([1, 2, 3, 4].map(() => remove(caller, a2aregistryid)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    expect((await remove(caller, a2aregistryid)).problem.code).toBe('row_not_found');
  });
});
