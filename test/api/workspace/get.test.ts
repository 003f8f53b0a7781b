// One workspace.
import { expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

test('200: a workspace of the caller, with an ETag, also one without a name', async () => {
  const { key, orgid, workspaceid } = await newCaller({ workspaces: [unique('ws')], scopes: [] });
  const params = { workspace_id: workspaceid };
  const answer = await call('getWorkspace', { key, params });
  expect(answer.body).toEqual({ workspaceid, orgid });
  const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
  expect((await call('getWorkspace', { key, params, headers })).status).toBe(304);
  const owner = await newCaller({ orgid });
  await call('createWorkspace', { key: owner.key, body: { workspaceid, name: 'One' } });
  expect((await call('getWorkspace', { key, params, headers })).body.name).toBe('One');
});

test('404: foreign, missing and unnamed workspaces look alike', async () => {
  const owner = await newCaller();
  const workspaceid = unique('ws');
  await call('createWorkspace', { key: owner.key, body: { workspaceid, name: 'One' } });
  const colleague = await newCaller({ orgid: owner.orgid, workspaces: [unique('ws')] });
  for (const [key, id] of [
    [(await newCaller()).key, workspaceid],
    [colleague.key, workspaceid],
    [owner.key, unique('ws')],
  ] as const) {
    const { problem } = await call('getWorkspace', { key, params: { workspace_id: id } });
    expect(problem).toMatchObject({ code: 'workspace_not_found', detail: `There is no workspace ${id}.` });
  }
});
