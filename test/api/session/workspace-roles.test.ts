// A member with different roles in two workspaces, over HTTP: each rule asks for the role in the workspace at hand.
import { beforeAll, describe, expect, test } from 'vitest';
import { card, createBody, newRow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { yearly } from '#test/support/triggers.ts';

const [built, viewed] = [unique('ws'), unique('ws')];
const rows: Record<string, { readonly a2aregistryid: string; readonly flowid: string }> = {};
let person: Person;
beforeAll(async () => {
  const orgid = unique('org');
  person = await newPerson({ orgid, roles: { [built]: 'builder', [viewed]: 'viewer' } });
  for (const workspaceid of [built, viewed])
    rows[workspaceid] = await newRow({ ...(await newCaller({ orgid })), workspaceid });
});
const rowIn = (workspaceid: string) => rows[workspaceid] ?? expect.fail('There is a row in each workspace.');

test('lists the agents of both workspaces, and of no other', async () => {
  const list = async (workspaceid: string) =>
    await call('listRegistryRows', { headers: person.page, query: { workspaceid } });
  expect((await list(built)).body.items).toHaveLength(1);
  expect((await list(viewed)).body.items).toHaveLength(1);
  expect((await list(unique('ws'))).problem.code).toBe('permission_denied');
});

test('creates, changes and tests agents only where the role allows it', async () => {
  const create = async (workspaceid: string) =>
    await call('createRegistryRow', { headers: person.page, query: { workspaceid }, body: createBody() });
  expect((await create(built)).status).toBe(201);
  expect((await create(viewed)).problem.code).toBe('permission_denied');
  const update = async (workspaceid: string) =>
    await call('updateRegistryRow', {
      headers: person.page,
      params: { a2aregistryid: rowIn(workspaceid).a2aregistryid },
      body: { agent_card: card() },
    });
  expect((await update(built)).status).toBe(200);
  // As for a workspace that is not theirs.
  expect((await update(viewed)).problem.code).toBe('row_not_found');
  const runTests = async (workspaceid: string) =>
    await call('testRegistryRow', {
      headers: person.page,
      params: { a2aregistryid: rowIn(workspaceid).a2aregistryid },
    });
  expect((await runTests(built)).status).toBe(200);
  expect((await runTests(viewed)).problem.detail).toBe(
    'The credentials lack the permission assistants.flows:run in this workspace.',
  );
});

test('writes schedules only where the role may start runs', async () => {
  const create = async (workspaceid: string) =>
    await call('createTrigger', {
      headers: person.page,
      query: { workspaceid },
      body: { kind: 'schedule', flowid: rowIn(workspaceid).flowid, schedule: yearly },
    });
  expect((await create(built)).status).toBe(201);
  expect((await create(viewed)).problem.code).toBe('permission_denied');
});

describe('a key', () => {
  const mayCreate = ['assistants.flows:read', 'apikeys:create', 'assistants.flows:run'] as const;

  test('is created with what its creator may do in each of its workspaces', async () => {
    const [own, seen] = [unique('ws'), unique('ws')];
    const admin = await newPerson({ roles: { [own]: 'owner', [seen]: 'viewer' } });
    const create = async (workspaces: unknown, scopes: readonly string[] = mayCreate) =>
      await call('createApiKey', {
        headers: admin.page,
        body: { label: 'One', scopes, workspaces, expires_in_days: 100 },
      });
    expect((await create([own])).body).toMatchObject({ workspaces: [own] });
    expect((await create([own, seen])).problem.detail).toContain(`workspace ${seen}`);
    expect((await create('*')).problem.detail).toContain('workspace *');
  });

  test('is limited to the role that its root has in each workspace', async () => {
    const { orgid } = person;
    const root = await newPerson({ orgid });
    const body = { label: 'One', scopes: mayCreate, workspaces: '*' };
    const { token } = (await call('createApiKey', { headers: root.page, body })).body;
    const other = { label: 'Two', scopes: ['assistants.flows:read'], workspaces: [built] };
    const next = (await call('createApiKey', { key: token, body: other })).body;
    expect(next).toMatchObject({ root: root.id, workspaces: [built] });
    const me = (await call('getMe', { key: next.token })).body;
    expect(me).toMatchObject({ workspaces: [built], permissions: ['assistants.flows:read'] });
  });
});
