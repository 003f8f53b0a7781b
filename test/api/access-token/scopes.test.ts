// What an access token may do: its scopes, limited to what its user may do now.
import { describe, expect, test } from 'vitest';
import { memberItemKey } from '#lib/access/member-items.ts';
import { oauthScopes } from '#lib/access/oauth-scope.ts';
import { rolePermissions, roles } from '#lib/access/role.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { updateItem } from '#lib/dynamo/items.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { connectorUrl, mcpRequest } from '#test/support/connector.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { newToken } from '#test/support/tokens.ts';

const renamed = 'x-amzn-remapped-www-authenticate';
const metadata = `resource_metadata="${serviceUrl()}/.well-known/oauth-protected-resource"`;
const setRoles = async ({ id, orgid }: Person, roles: Readonly<Record<string, string>>) =>
  await updateItem(controlTable, memberItemKey({ userid: id, orgid }), {
    UpdateExpression: 'SET #roles = :roles',
    ExpressionAttributeNames: { '#roles': 'roles' },
    ExpressionAttributeValues: { ':roles': roles },
  });

describe('200', () => {
  test.each(roles)('with all scopes, a token may do what the role %s may', async (role) => {
    const person = await newPerson({ role });
    const { body } = await call('getMe', { key: await newToken(person, { scopes: oauthScopes }) });
    expect(new Set(body.permissions)).toEqual(new Set(rolePermissions[role]));
  });

  test('a member whose role was changed may do what the new role may', async () => {
    const person = await newPerson();
    await setRoles(person, { '*': 'viewer' });
    const { body } = await call('getMe', { key: await newToken(person, { scopes: oauthScopes }) });
    expect(new Set(body.permissions)).toEqual(new Set(rolePermissions.viewer));
  });

  test('a token is for the workspaces that both its grant and its user have', async () => {
    const [one, two, three] = [unique('ws'), unique('ws'), unique('ws')];
    const person = await newPerson({ roles: { [one]: 'builder', [two]: 'viewer' } });
    const scopes = ['assistants.flows:read', 'assistants.flows:create'] as const;
    const key = await newToken(person, { scopes, workspaces: [two, three] });
    expect((await call('getMe', { key })).body).toMatchObject({
      workspaces: [two],
      permissions: ['assistants.flows:read'],
    });
    const both = await newToken(person, { scopes });
    const readable = async (workspaceid: string) =>
      (await call('listRegistryRows', { key: both, query: { workspaceid } })).status;
    expect([await readable(one), await readable(two), await readable(three)]).toEqual([200, 200, 403]);
  });

  test('what a client starts with a token belongs to its user', async () => {
    const person = await newPerson();
    const workspaceid = unique('ws');
    const body = {
      type: 'http_bearer',
      scope: 'user',
      hosts: ['api.example'],
      credential: { token: 'hunter2' },
    };
    const stored = await call('putConnection', {
      key: await newToken(person, { scopes: ['connections:write'] }),
      params: { name: 'crm' },
      query: { workspaceid },
      body,
    });
    expect(stored.body.updated_by).toBe(person.id);
    const listed = await call('listConnections', { headers: person.page, query: { workspaceid } });
    expect(listed.body.items.map(({ name }) => name)).toEqual(['crm']);
  });

  test('an API key that a client creates has no more than the token, and ends with the grant', async () => {
    const person = await newPerson();
    const key = await newToken(person, { scopes: ['apikeys:create', 'audit:read'] });
    const create = async (scopes: readonly string[]) =>
      await call('createApiKey', { key, body: { label: 'One', scopes, workspaces: '*' } });
    const made = (await create(['audit:read'])).body;
    expect(made).toMatchObject({ created_by: person.id, root: person.id });
    expect(Date.parse(made.expires_at)).toBeLessThanOrEqual(Date.now() + 86_400_000);
    expect((await create(['connections:write'])).problem.status).toBe(403);
  });
});

describe('403', () => {
  test('without the scope that the user could grant: the challenge names all that is needed', async () => {
    const key = await newToken(await newPerson(), { scopes: ['audit:read'] });
    const answer = await call('listRegistryRows', { key, query: { workspaceid: unique('ws') } });
    expect(answer.problem).toMatchObject({
      code: 'insufficient_scope',
      detail: 'The access token lacks the scope assistants.flows:read.',
    });
    expect(answer.headers.get(renamed)).toBe(
      `Bearer realm="agent-flow", error="insufficient_scope", ${metadata}, scope="assistants.flows:read audit:read"`,
    );
  });

  test('without the scope that the user could not grant: no challenge, since asking would not help', async () => {
    const person = await newPerson({ role: 'caller' });
    const key = await newToken(person, { scopes: ['agents:call'] });
    const answer = await call('listRegistryRows', { key, query: { workspaceid: unique('ws') } });
    expect(answer.problem.code).toBe('permission_denied');
    expect(answer.headers.get(renamed)).toBeNull();
  });

  test('a token of the API calls agents with agents:call, and reads cards with agents:read', async () => {
    const person = await newPerson();
    const send = async (key: string) =>
      await call('callLiveAgent', { key, params: { flowId: unique('flow') }, text: '{}' });
    expect((await send(await newToken(person, { scopes: ['agents:read'] }))).problem.code).toBe(
      'insufficient_scope',
    );
    // There is no such agent, which is the answer to everybody who may call agents.
    expect((await send(await newToken(person, { scopes: ['agents:call'] }))).problem.code).toBe(
      'unauthenticated',
    );
    const card = async (key: string) =>
      (await call('getLiveCard', { key, params: { flowId: unique('flow') } })).problem.code;
    expect(await card(await newToken(person, { scopes: ['agents:call'] }))).toBe('insufficient_scope');
    expect(await card(await newToken(person, { scopes: ['agents:read'] }))).toBe('unauthenticated');
  });

  test('the sessions of a user are not for clients', async () => {
    const person = await newPerson();
    const key = await newToken(person, { scopes: oauthScopes });
    expect((await call('listSessions', { key })).problem.code).toBe('permission_denied');
    const params = { sessionid: person.sessionid };
    expect((await call('endSession', { key, params })).problem.code).toBe('permission_denied');
    expect((await call('listSessions', { headers: person.page })).body.items).toHaveLength(1);
  });
});

describe('the connector', () => {
  const tool = async (key: string, name: string, args: Readonly<Record<string, unknown>> = {}) =>
    await mcpRequest({ key }, 'tools/call', { name, arguments: args });

  test('lists all tools, whatever the scopes', async () => {
    const key = await newToken(await newPerson(), { scopes: [], resource: 'connector' });
    const { result } = await mcpRequest({ key }, 'tools/list', {});
    expect(result?.tools).toHaveLength(3);
  });

  test('finds and lists agents with agents:read, also for a role without assistants.flows:read', async () => {
    const key = await newToken(await newPerson({ role: 'caller' }), {
      scopes: ['agents:read'],
      resource: 'connector',
    });
    for (const name of ['list_agents', 'discover_agents']) {
      const { status, result } = await tool(key, name, name === 'list_agents' ? {} : { query: 'orders' });
      expect({ status, isError: result?.isError }).toEqual({ status: 200, isError: undefined });
    }
  });

  test.each([
    ['list_agents', 'agents:call', 'agents:read'],
    ['discover_agents', 'agents:call', 'agents:read'],
    ['call_agent', 'agents:read', 'agents:call'],
  ] as const)(
    '%s is refused with %s only, before anything of the answer is sent',
    async (name, has, needs) => {
      const key = await newToken(await newPerson(), { scopes: [has], resource: 'connector' });
      const { status, error } = await tool(key, name);
      expect(status).toBe(403);
      expect(error).toMatchObject({ code: -32000, message: expect.stringContaining(needs) });
    },
  );

  test('tasks need agents:call', async () => {
    const key = await newToken(await newPerson(), { scopes: ['agents:read'], resource: 'connector' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await mcpRequest({ key }, method, { taskId: crypto.randomUUID() })).status).toBe(403);
  });

  test('clients that send no name of the tool in a header are judged by their message', async () => {
    const token = await newToken(await newPerson(), { scopes: ['agents:read'], resource: 'connector' });
    const response = await fetch(connectorUrl(), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'call_agent' } }),
    });
    expect(response.status).toBe(403);
  });
});
