import { describe, expect, test } from 'vitest';
import { newRegistryId, newRunId } from '#lib/ids.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingRun } from '#test/support/run-calls.ts';

type Query = Readonly<Record<string, string>>;
const hour = 3_600_000;

/** Read when all records have arrived, with another key, whose own reading is not what the tests look for. */
const read = async (caller: TestCaller, query: Query = { workspaceid: caller.workspaceid }) => {
  await idle();
  const reader = await newCaller({ orgid: caller.orgid, scopes: ['audit:read'] });
  return (await call('listAudit', { key: reader.key, query })).body.items.filter(
    (record) => record.caller !== reader.id,
  );
};

describe('200: the trail', () => {
  test('lists every call of a workspace, newest first, with caller, action, resource, outcome and request id', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    await promoted(caller, row);
    const params = { a2aregistryid: row.a2aregistryid };
    const refusal = await call('updateRegistryRow', { key: caller.key, params, body: {} });
    await call('deleteRegistryRow', { key: caller.key, params });
    const records = await read(caller);
    expect(records.map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      'registry/delete 204',
      'registry/promote-live 200',
      'registry/create 201',
    ]);
    for (const { resource, caller: who, orgid, workspaceid } of records) {
      expect({ resource, who, orgid, workspaceid }).toEqual({
        resource: row.a2aregistryid,
        who: caller.id,
        orgid: caller.orgid,
        workspaceid: caller.workspaceid,
      });
    }
    expect(await read(caller, {})).toContainEqual({
      at: expect.any(String),
      requestid: refusal.headers.get('x-request-id'),
      operation: 'registry/update',
      caller: caller.id,
      orgid: caller.orgid,
      resource: row.a2aregistryid,
      status: 400,
      code: 'validation_failed',
    });
  });

  test('records cancellations, answers and redrives, also refused ones, and no reads', async () => {
    const caller = await newCaller();
    const { workspace_id, workflow_id } = await askingRun(caller);
    const params = { workspace_id, workflow_id };
    const { key, workspaceid } = caller;
    await call('getRun', { key, params });
    await call('resumeRun', { key, params, body: { answer: 5 } });
    await call('cancelRun', { key, params });
    const id = newRunId();
    await call('redriveDeadLetter', { key, params: { id }, query: { workspaceid } });
    const records = (await read(caller)).filter(({ operation }) => !operation.startsWith('registry/'));
    expect(records).toMatchObject([
      { operation: 'run/redrive-dead-letter', resource: id, status: 404, code: 'dead_letter_not_found' },
      { operation: 'run/cancel', resource: workflow_id, status: 200 },
      { operation: 'run/resume', resource: workflow_id, status: 400, code: 'validation_failed' },
    ]);
    for (const record of records) expect(record).toMatchObject({ caller: caller.id, workspaceid });
  });

  test('records failed calls of a workspace as well as successful ones', async () => {
    const caller = await newCaller();
    await call('createRegistryRow', {
      key: caller.key,
      query: { workspaceid: caller.workspaceid },
      body: { flowid: 'f', agent_card: {}, flow: {} },
    });
    await newRow(caller);
    await call('listRegistryRows', {
      key: caller.key,
      query: { workspaceid: caller.workspaceid, orgid: unique('org') },
    });
    expect((await read(caller)).map(({ operation, code }) => [operation, code])).toEqual([
      ['registry/list', 'permission_denied'],
      ['registry/create', undefined],
    ]);
  });

  test('lists the changes of API keys for the organisation', async () => {
    const caller = await newCaller();
    const body = { label: 'Secret label', scopes: ['audit:read'], workspaces: '*' };
    const { keyid } = (await call('createApiKey', { key: caller.key, body })).body;
    await call('revokeApiKey', { key: caller.key, params: { keyid } });
    const records = await read(caller, {});
    expect(records.map(({ operation, resource }) => [operation, resource])).toEqual([
      ['access/revoke-key', keyid],
      ['access/create-key', keyid],
    ]);
    expect(JSON.stringify(records)).not.toContain('Secret label');
  });

  test('records denied requests to all entry points, under the organisation of the key', async () => {
    const owner = await newCaller();
    const row = await newRow(owner);
    const stranger = await newCaller({ workspaces: ['ws_a'], scopes: ['assistants.flows:read'] });
    const params = { registryId: row.a2aregistryid };
    await call('callAgent', { key: stranger.key, params, body: {} });
    await call('getRegistryRow', { key: stranger.key, params: { a2aregistryid: row.a2aregistryid } });
    await call('listRegistryRows', { key: stranger.key, query: { workspaceid: 'ws_b' } });
    await call('deleteRegistryRow', { key: stranger.key, params: { a2aregistryid: row.a2aregistryid } });
    expect((await read(stranger, {})).map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      'registry/delete 403',
      'registry/get 404',
      'a2a/call-agent 401',
    ]);
    const denied = await read(stranger, { workspaceid: 'ws_b' });
    expect(denied.map(({ operation, status }) => `${operation} ${status}`)).toEqual(['registry/list 403']);
    expect((await read(owner)).map(({ operation }) => operation)).toEqual(['registry/create']);
  });

  test('names the workspace of the resource if the request does not, even if the request is refused', async () => {
    const caller = await newCaller();
    const { key, workspaceid } = caller;
    const { a2aregistryid } = await newRow(caller);
    const params = { a2aregistryid };
    const stale = { 'if-match': '"7"' };
    await call('getRegistryRow', { key, params });
    await call('getRegistryRow', { key, params, query: { flow: 'true' } });
    await call('testRegistryRow', { key, params });
    await call('diffRegistryRow', { key, params });
    await call('diffRegistryRow', { key, params, query: { against: newRegistryId() } });
    await call('getRegistryRowHistory', { key, params });
    await call('getRegistryRowHistory', { key, params, query: { cursor: 'x' } });
    await call('rollBackRegistryRow', { key, params });
    await call('promoteRegistryRow', { key, params, query: { expected_live: newRegistryId() } });
    await call('promoteRegistryRow', { key, params, headers: stale });
    await call('promoteRegistryRow', { key, params });
    await call('rollBackRegistryRow', { key, params });
    await call('deleteRegistryRow', { key, params, headers: stale });
    const elsewhere = await newCaller({ orgid: caller.orgid, workspaces: ['ws_b'] });
    await call('getRegistryRow', { key: elsewhere.key, params });
    const records = (await read(caller)).filter(({ operation }) => operation !== 'registry/create');
    expect(records.map(({ operation, status, code }) => [operation, status, code])).toEqual([
      ['registry/get', 404, 'row_not_found'],
      ['registry/delete', 412, 'precondition_failed'],
      ['registry/rollback', 409, 'no_former_build'],
      ['registry/promote-live', 200, undefined],
      ['registry/promote-live', 412, 'precondition_failed'],
      ['registry/promote-live', 409, 'promotion_conflict'],
      ['registry/rollback', 409, 'row_not_live'],
      ['registry/history', 400, 'validation_failed'],
      ['registry/history', 200, undefined],
      ['registry/diff', 404, 'row_not_found'],
      ['registry/diff', 200, undefined],
      ['registry/test', 200, undefined],
      ['registry/get', 200, undefined],
      ['registry/get', 200, undefined],
    ]);
    for (const record of records) expect(record).toMatchObject({ workspaceid, resource: a2aregistryid });
    expect(await read(caller, {})).toEqual([]);
  });

  test('names the workspace of a trigger if the request does not', async () => {
    const caller = await newCaller();
    const { key, workspaceid } = caller;
    const { flowid } = await newRow(caller);
    const schedule = { rate: '1 hour' };
    const body = { kind: 'schedule', flowid, schedule } as const;
    const { trigger_id } = (await call('createTrigger', { key, query: { workspaceid }, body })).body;
    const params = { trigger_id };
    const scopes = ['assistants.flows:update', 'assistants.flows:read'] as const;
    const reader = await newCaller({ orgid: caller.orgid, scopes: [...scopes] });
    const elsewhere = await newCaller({ orgid: caller.orgid, workspaces: ['ws_b'] });
    await call('getTrigger', { key, params });
    await call('getTrigger', { key: elsewhere.key, params });
    await call('nextRuns', { key, params });
    await call('updateTrigger', { key: reader.key, params, body: { flowid, schedule } });
    await call('updateTrigger', { key, params, body: { flowid } });
    await call('updateTrigger', { key, params, body: { flowid, schedule } });
    await call('deleteTrigger', { key, params, headers: { 'if-match': '"7"' } });
    await call('deleteTrigger', { key, params });
    await call('deleteTrigger', { key, params });
    const records = (await read(caller)).filter(({ operation }) =>
      operation.startsWith('trigger-definition/'),
    );
    expect(records.map(({ operation, status, code }) => [operation, status, code])).toEqual([
      ['trigger-definition/delete', 204, undefined],
      ['trigger-definition/delete', 412, 'precondition_failed'],
      ['trigger-definition/update', 200, undefined],
      ['trigger-definition/update', 400, 'validation_failed'],
      ['trigger-definition/update', 403, 'permission_denied'],
      ['trigger-definition/next-runs', 200, undefined],
      ['trigger-definition/get', 404, 'trigger_not_found'],
      ['trigger-definition/get', 200, undefined],
      ['trigger-definition/create', 201, undefined],
    ]);
    for (const record of records) expect(record).toMatchObject({ workspaceid, resource: trigger_id });
  });

  test('has no record of an allowed run, and shows denials of unauthenticated callers to no organisation', async () => {
    const caller = await newCaller();
    const row = await promoted(caller, await newRow(caller));
    await call('getLiveCard', { key: caller.key, params: { flowId: row.flowid } });
    await call('getRegistryRow', { key: 'bad', params: { a2aregistryid: row.a2aregistryid } });
    expect((await read(caller)).map(({ operation }) => operation)).toEqual([
      'registry/promote-live',
      'registry/create',
    ]);
    expect(await read(caller, {})).toEqual([]);
  });

  test('never has a record of a request that names no resource', async () => {
    const caller = await newCaller();
    await call('getRegistryRow', { key: caller.key, params: { a2aregistryid: '<script>' } });
    const [record] = await read(caller, {});
    expect(record).toMatchObject({ operation: 'registry/get', status: 400 });
    expect(record).not.toHaveProperty('resource');
  });
});

describe('200: a page', () => {
  test('is full except the last, and the pages together are the trail, also across several days', async () => {
    const caller = await newCaller();
    for (let n = 0; n < 5; n += 1) await newRow(caller);
    const key = (await newCaller({ orgid: caller.orgid, scopes: ['audit:read'] })).key;
    await idle();
    // Before the pages are read, which the trail holds too.
    const to = new Date(Date.now() - 1).toISOString();
    const query = {
      workspaceid: caller.workspaceid,
      from: new Date(Date.now() - 40 * hour).toISOString(),
      to,
    };
    const all = (await call('listAudit', { key, query })).body.items;
    expect(all).toHaveLength(5);
    const page = async (cursor?: string) =>
      (await call('listAudit', { key, query: { ...query, limit: '2', ...(cursor && { cursor }) } })).body;
    const pages = [await page()];
    for (let next = pages[0]?.nextCursor; next !== undefined && pages.length < 9; ) {
      const following = await page(next);
      pages.push(following);
      next = following.nextCursor;
    }
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ items }) => items)).toEqual(all);
  });

  test('has only records in the requested time range', async () => {
    const caller = await newCaller();
    await newRow(caller);
    const [record] = await read(caller);
    const at = Date.parse(record?.at ?? '');
    const between = async (from: number, to: number) =>
      await read(caller, {
        workspaceid: caller.workspaceid,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      });
    expect(await between(at, at)).toEqual([record]);
    expect(await between(at - 48 * hour, at + hour)).toContainEqual(record);
    expect(await between(at - hour, at - 1)).toEqual([]);
    expect(await between(at + 1, at + 1)).toEqual([]);
  });

  test('includes the request that read the trail', async () => {
    const caller = await newCaller();
    const query = { workspaceid: caller.workspaceid };
    await call('listAudit', { key: caller.key, query });
    await idle();
    const { body } = await call('listAudit', { key: caller.key, query });
    expect(body.items.map(({ operation }) => operation)).toEqual(['access/list-audit']);
  });
});

describe('400', () => {
  test.each<[string, Query]>([
    ['from', { from: 'yesterday' }],
    ['from', { from: '2026-03-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }],
    ['from', { from: '2026-01-01T00:00:00Z', to: '2026-02-02T00:00:00Z' }],
    ['to', { to: '2026-02-30T00:00:00Z' }],
    ['limit', { limit: '201' }],
    ['cursor', { cursor: 'x' }],
    ['workspaceid', { workspaceid: 'a#b' }],
  ])('an invalid %s is reported: %j', async (name, query) => {
    const { problem } = await call('listAudit', { key: (await newCaller()).key, query });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/query/${name}`]);
  });

  test('a cursor is valid only for the query and the organisation that it was issued to', async () => {
    const caller = await newCaller();
    await newRow(caller);
    await newRow(caller);
    await idle();
    const query = { workspaceid: caller.workspaceid, limit: '1' };
    const { nextCursor = '' } = (await call('listAudit', { key: caller.key, query })).body;
    const stranger = await newCaller();
    const refused = [
      await call('listAudit', { key: stranger.key, query: { ...query, cursor: nextCursor } }),
      await call('listAudit', { key: caller.key, query: { workspaceid: 'ws_a', cursor: nextCursor } }),
    ];
    for (const { problem } of refused) expect(problem.errors?.[0]?.pointer).toBe('/query/cursor');
  });
});

describe('403', () => {
  test('a key for other workspaces may read neither the trail of this workspace nor that of the organisation', async () => {
    const { key } = await newCaller({ workspaces: ['ws_a'] });
    for (const query of [{ workspaceid: 'ws_b' }, {}]) {
      expect((await call('listAudit', { key, query })).problem.code).toBe('permission_denied');
    }
    expect((await call('listAudit', { key, query: { workspaceid: 'ws_a' } })).status).toBe(200);
  });
});
