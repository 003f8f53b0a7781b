// Renaming workspaces.
import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const rename = async (key: string, workspace_id: string, name: string, ifMatch?: string) =>
  await call('renameWorkspace', {
    key,
    params: { workspace_id },
    body: { name },
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  });
const newWorkspace = async (key: string) =>
  (await call('createWorkspace', { key, body: { name: 'One' } })).body;

describe('200', () => {
  test('the name changes and the id stays', async () => {
    const { key, id } = await newCaller();
    const before = await newWorkspace(key);
    const { body } = await rename(key, before.workspaceid, 'Two');
    expect(body).toEqual({
      ...before,
      name: 'Two',
      version: 2,
      updated_at: expect.any(String),
      updated_by: id,
    });
    const read = await call('getWorkspace', { key, params: { workspace_id: before.workspaceid } });
    expect(read.body).toEqual(body);
  });

  test('a workspace that credentials name gets a name', async () => {
    const { key, workspaceid } = await newCaller({ workspaces: [unique('ws')] });
    expect((await rename(key, workspaceid, 'Mine')).body).toMatchObject({
      workspaceid,
      name: 'Mine',
      version: 1,
    });
  });

  test('renamed by many at the same time, each change counts', async () => {
    const { key } = await newCaller();
    const { workspaceid } = await newWorkspace(key);
    const names = ['A', 'B', 'C'];
    const answers = await Promise.all(names.map(async (name) => await rename(key, workspaceid, name)));
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3, 4]);
  });
});

test('403: a key without the permission', async () => {
  const { key, orgid } = await newCaller();
  const { workspaceid } = await newWorkspace(key);
  const other = await newCaller({ orgid, scopes: ['members:write'] });
  expect((await rename(other.key, workspaceid, 'Two')).problem.code).toBe('permission_denied');
});

test('404: a workspace of another organisation, and one that does not exist: `workspace_not_found`', async () => {
  const { key } = await newCaller();
  const { workspaceid } = await newWorkspace(key);
  const stranger = await newCaller();
  expect((await rename(stranger.key, workspaceid, 'Two')).problem.code).toBe('workspace_not_found');
  expect((await rename(key, unique('ws'), 'Two')).problem.code).toBe('workspace_not_found');
});

test('412: If-Match names another version', async () => {
  const { key, orgid } = await newCaller();
  const { workspaceid } = await newWorkspace(key);
  const etag = (await rename(key, workspaceid, 'Two')).headers.get('etag') ?? '';
  expect((await rename(key, workspaceid, 'Three', etag)).status).toBe(200);
  expect((await rename(key, workspaceid, 'Four', etag)).problem.code).toBe('precondition_failed');
  const unnamed = await newCaller({ orgid, workspaces: [unique('ws')] });
  const { problem } = await rename(unnamed.key, unnamed.workspaceid, 'One', etag);
  expect(problem).toMatchObject({
    code: 'precondition_failed',
    detail: expect.stringContaining('has no name'),
  });
});
