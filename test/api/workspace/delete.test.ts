// Deleting workspaces, which must be empty.
import { describe, expect, test } from 'vitest';
import { newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newEmail, newPerson } from '#test/support/person.ts';
import { newTrigger, setting, yearly } from '#test/support/triggers.ts';

const newWorkspace = async (caller: TestCaller): Promise<TestCaller> => {
  const { body } = await call('createWorkspace', { key: caller.key, body: { name: 'One' } });
  return { ...caller, workspaceid: body.workspaceid };
};
const remove = async ({ key, workspaceid }: TestCaller, ifMatch?: string) =>
  await call('deleteWorkspace', {
    key,
    params: { workspace_id: workspaceid },
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  });
const query = ({ workspaceid }: TestCaller) => ({ workspaceid });

describe('204', () => {
  test('an empty workspace is gone, and its id can be used again', async () => {
    const caller = await newWorkspace(await newCaller());
    const { key, workspaceid } = caller;
    expect((await remove(caller)).status).toBe(204);
    const read = await call('getWorkspace', { key, params: { workspace_id: workspaceid } });
    expect(read.problem.code).toBe('workspace_not_found');
    expect((await call('createWorkspace', { key, body: { workspaceid, name: 'Two' } })).body.version).toBe(1);
  });

  test('whatever is in the workspaces of others, and in others of the organisation, is not in this one', async () => {
    const caller = await newWorkspace(await newCaller());
    await newRow({ ...caller, workspaceid: unique('ws') });
    await newRow({ ...(await newCaller()), workspaceid: caller.workspaceid });
    await newPerson({ orgid: caller.orgid });
    expect((await remove(caller)).status).toBe(204);
  });
});

describe('409', () => {
  const label = { label: 'One', scopes: ['audit:read'] };
  test.each<[string, (caller: TestCaller) => Promise<unknown>]>([
    ['agents', async (caller) => await newRow(caller)],
    [
      'agents, triggers',
      async (caller) => {
        const { flowid } = await newRow(caller);
        await newTrigger({ ...caller, flowid }, { kind: 'schedule', schedule: yearly });
      },
    ],
    [
      'connections',
      async (caller) =>
        await call('putConnection', {
          key: caller.key,
          params: { name: 'crm' },
          query: query(caller),
          body: { type: 'http_bearer', scope: 'user', hosts: ['crm.example'], credential: { token: 'x' } },
        }),
    ],
    [
      'settings of environments',
      async (caller) => await setting({ ...caller, flowid: unique('flow') }, 'uat', {}),
    ],
    [
      'signing secrets',
      async (caller) => await call('setCallbackSecret', { key: caller.key, query: query(caller), body: {} }),
    ],
    [
      'API keys',
      async ({ key, workspaceid }) =>
        await call('createApiKey', { key, body: { ...label, workspaces: [unique('ws'), workspaceid] } }),
    ],
    [
      'members',
      async ({ orgid, workspaceid }) => await newPerson({ orgid, roles: { [workspaceid]: 'caller' } }),
    ],
    [
      'open invitations',
      async ({ key, workspaceid }) =>
        await call('inviteMember', { key, body: { email: newEmail(), roles: { [workspaceid]: 'viewer' } } }),
    ],
  ])('a workspace with %s is not empty: `workspace_not_empty`', async (contents, fill) => {
    const caller = await newWorkspace(await newCaller());
    await fill(caller);
    expect((await remove(caller)).problem).toMatchObject({
      code: 'workspace_not_empty',
      detail: `It has ${contents}. Delete, revoke or remove them first.`,
    });
  });

  test('keys that are revoked, and invitations that are withdrawn, do not count', async () => {
    const caller = await newWorkspace(await newCaller());
    const { key, workspaceid } = caller;
    const made = await call('createApiKey', { key, body: { ...label, workspaces: [workspaceid] } });
    const invited = await call('inviteMember', {
      key,
      body: { email: newEmail(), roles: { [workspaceid]: 'viewer' } },
    });
    expect((await remove(caller)).problem.detail).toContain('API keys, open invitations');
    await call('revokeApiKey', { key, params: { keyid: made.body.keyid } });
    await call('withdrawInvitation', { key, params: { invitationid: invited.body.invitationid } });
    expect((await remove(caller)).status).toBe(204);
  });
});

test('404: a workspace of another organisation, and one that does not exist', async () => {
  const caller = await newWorkspace(await newCaller());
  expect((await remove({ ...(await newCaller()), workspaceid: caller.workspaceid })).problem.code).toBe(
    'workspace_not_found',
  );
  expect((await remove({ ...caller, workspaceid: unique('ws') })).problem.code).toBe('workspace_not_found');
});

test('412: If-Match names another version', async () => {
  const caller = await newWorkspace(await newCaller());
  expect((await remove(caller, '"7-abc"')).problem.code).toBe('precondition_failed');
  expect((await remove(caller, '*')).status).toBe(204);
});
