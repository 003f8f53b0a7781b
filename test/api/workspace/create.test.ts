// Workspaces as resources: creating them, and giving names to those that are used already.
import { describe, expect, test } from 'vitest';
import { newRow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson } from '#test/support/person.ts';

const create = async (key: string, body: object) => await call('createWorkspace', { key, body });

describe('201', () => {
  test('creates a workspace with an id of its own, with an ETag and its location', async () => {
    const { key, id, orgid } = await newCaller();
    const { body, headers } = await create(key, { name: '  Customer support ' });
    expect(body).toMatchObject({
      workspaceid: expect.stringMatching(/^ws_[0-9A-Z]{26}$/),
      orgid,
      name: 'Customer support',
      version: 1,
      created_by: id,
    });
    expect(headers.get('location')).toBe(`/api/v1/workspaces/${body.workspaceid}`);
    const read = await call('getWorkspace', { key, params: { workspace_id: body.workspaceid } });
    expect(read.body).toEqual(body);
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
  });

  test('a workspace that exists by its use keeps what is in it', async () => {
    const caller = await newCaller();
    const { workspaceid } = caller;
    await newRow(caller);
    expect((await create(caller.key, { workspaceid, name: 'One' })).body.workspaceid).toBe(workspaceid);
    const rows = await call('listRegistryRows', { key: caller.key, query: { workspaceid } });
    expect(rows.body.items).toHaveLength(1);
  });

  test('two organisations use the same id', async () => {
    const workspaceid = unique('ws');
    for (const { key } of [await newCaller(), await newCaller()])
      expect((await create(key, { workspaceid, name: 'One' })).status).toBe(201);
  });
});

describe('400', () => {
  test.each([
    [{ name: ' ' }, '/body/name'],
    [{ name: 'x'.repeat(101) }, '/body/name'],
    [{ name: 'a\nb' }, '/body/name'],
    [{ name: 'One', workspaceid: 'start' }, '/body/workspaceid'],
  ])('%j names the field', async (body, pointer) => {
    const { problem } = await create((await newCaller()).key, body);
    expect(problem.errors?.map((each) => each.pointer)).toEqual([pointer]);
  });
});

describe('403', () => {
  test('credentials for single workspaces name theirs, and create no others', async () => {
    const { key, workspaceid } = await newCaller({ workspaces: [unique('ws')] });
    expect((await create(key, { workspaceid, name: 'One' })).status).toBe(201);
    for (const body of [{ name: 'Two' }, { workspaceid: unique('ws'), name: 'Two' }])
      expect((await create(key, body)).problem.code).toBe('permission_denied');
    expect((await create(key, { name: 'Two' })).problem.detail).toContain('credentials for all of them');
  });

  test('a builder creates none', async () => {
    const { page } = await newPerson({ role: 'builder' });
    const { problem } = await call('createWorkspace', { headers: page, body: { name: 'One' } });
    expect(problem.detail).toContain('workspaces:write');
  });
});

describe('409', () => {
  test('an id is taken once, also by requests at the same time: `workspace_id_taken`', async () => {
    const { key } = await newCaller();
    const workspaceid = unique('ws');
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map(async (name) => await create(key, { workspaceid, name })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await create(key, { workspaceid, name: 'Four' })).problem).toMatchObject({
      code: 'workspace_id_taken',
      detail: expect.stringContaining(`PUT /api/v1/workspaces/${workspaceid}`),
    });
  });
});
