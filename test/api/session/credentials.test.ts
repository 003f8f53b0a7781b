// What a user starts is theirs with each of their credentials: in the REST API and over A2A with a session or an access
// token, and in the connector. For others it is what the rules of each interface say.
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, post, readTaskId, rpcAnswer } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer } from '#test/support/connections.ts';
import { mcpClient } from '#test/support/connector.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { Browser, newPerson, type Person, pageHeaders, signIn } from '#test/support/person.ts';
import { newToken } from '#test/support/tokens.ts';

type Headers = Readonly<Record<string, string>>;

let owner: TestCaller;
let agent: TestAgent;
let person: Person;
/** The credentials of the person: two browsers, and a client of OAuth. */
let credentials: readonly Headers[];
let connectorToken: string;

beforeAll(async () => {
  owner = await newCaller();
  agent = await liveAgent({ flow: askingFlow() }, owner);
  person = await newPerson({ orgid: owner.orgid, role: 'builder' });
  const other = new Browser();
  await signIn(other, person.email, { query: `?orgid=${owner.orgid}` });
  const scopes = ['agents:call', 'agents:read', 'assistants.flows:read', 'assistants.flows:run'] as const;
  const token = await newToken(person, { scopes });
  connectorToken = await newToken(person, { resource: 'connector' });
  credentials = [person.page, pageHeaders(other), { authorization: `Bearer ${token}` }];
});

async function rpc(headers: Headers, method: string, params: object, of = agent) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 'r-1', method, params });
  const response = await post(agentUrls(of).agent, { text, headers });
  expect(response.status).toBe(200);
  return rpcAnswer.parse(JSON.parse(await response.text()));
}
const trigger = () => ({
  params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
  body: { message: 'Hello' },
});
const taskHandle = z.looseObject({ task_id: z.string() });

async function callAgent(args: object) {
  const client = await mcpClient({ key: connectorToken });
  const result = await client.callTool({
    name: 'call_agent',
    arguments: { registry_id: agent.a2aregistryid, ...args },
  });
  await client.close();
  return z.looseObject({ state: z.string() }).and(taskHandle).parse(result.structuredContent);
}

const send = async (headers: Headers, of = agent) =>
  readTaskId((await rpc(headers, 'SendMessage', { message: message() }, of)).result);
const message = (some: object = {}) => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text: 'Hello' }],
  ...some,
});

const starts: readonly (readonly [string, () => Promise<string>])[] = [
  ['A2A with a session', () => send(person.page)],
  ['A2A with an access token', () => send(credentials[2] ?? {})],
  [
    'the REST API with a session',
    async () => (await call('triggerFlow', { headers: person.page, ...trigger() })).body.workflow_id,
  ],
  ['the connector', async () => (await callAgent({ message: 'Hello' })).task_id],
];

describe.each(starts)('a task that a user starts by %s', (startedBy, start) => {
  let id = '';
  beforeAll(async () => {
    id = await start();
  });
  const inWorkspace = () => ({ workspace_id: agent.workspaceid, workflow_id: id });

  test('is found by the same user over A2A, in all browsers and with an access token', async () => {
    for (const headers of credentials) {
      expect((await rpc(headers, 'GetTask', { id })).result).toMatchObject({ id });
      // A run of a trigger is none of the tasks that A2A lists.
      const listed = JSON.stringify((await rpc(headers, 'ListTasks', {})).result);
      expect(listed.includes(id)).toBe(startedBy !== 'the REST API with a session');
    }
  });

  test('is found by the same user in the REST API', async () => {
    for (const headers of credentials) {
      expect((await call('getRun', { headers, params: inWorkspace() })).body.status).toBe('input_required');
      expect((await call('getRunDetail', { headers, params: { workflow_id: id } })).status).toBe(200);
      const runs = await call('listRuns', { headers, query: { workspaceid: agent.workspaceid } });
      expect(runs.body.items.map((run) => run.workflow_id)).toContain(id);
    }
  });

  test('does not exist over A2A for a colleague, a key of the organisation, a key of the user, and strangers', async () => {
    const body = { label: 'One', scopes: ['assistants.flows:run'], workspaces: '*' };
    const colleague = await newPerson({ orgid: owner.orgid });
    const elsewhere = await newPerson({ email: person.email });
    expect(elsewhere.id).toBe(person.id);
    const admin = await newPerson({ orgid: owner.orgid });
    const made = (await call('createApiKey', { headers: admin.page, body })).body.token;
    for (const headers of [colleague.page, { 'x-api-key': owner.key }, { 'x-api-key': made }]) {
      const { error } = await rpc(headers, 'GetTask', { id });
      const { error: missing } = await rpc(headers, 'GetTask', { id: crypto.randomUUID() });
      expect(error).toMatchObject({ code: -32001 });
      expect(JSON.stringify(error).replaceAll(id, '')).toBe(
        JSON.stringify(missing).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ''),
      );
      expect(JSON.stringify((await rpc(headers, 'ListTasks', {})).result)).not.toContain(id);
    }
    // The same person, as a member of another organisation, does not see the agent either.
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
    const refused = await post(agentUrls(agent).agent, { text, headers: elsewhere.page });
    expect(await refused.text()).not.toContain('"result"');
  });

  test('is a run of its workspace in the REST API, for members who may read runs there', async () => {
    const colleague = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    expect(
      (await call('getRunDetail', { headers: colleague.page, params: { workflow_id: id } })).status,
    ).toBe(200);
    const caller = await newPerson({ orgid: owner.orgid, role: 'caller' });
    expect(
      (await call('getRunDetail', { headers: caller.page, params: { workflow_id: id } })).problem.code,
    ).toBe('permission_denied');
    const beside = await newPerson({ orgid: owner.orgid, workspaces: ['ws_other'] });
    const stranger = await newPerson();
    for (const { page } of [beside, stranger])
      expect((await call('getRunDetail', { headers: page, params: { workflow_id: id } })).problem.code).toBe(
        'run_not_found',
      );
  });

  test('continues with another credential, and ends for all of them', async () => {
    const taskId = id;
    const continued = await rpc(credentials[2] ?? {}, 'SendMessage', {
      message: message({ taskId, parts: [{ text: 'yes' }] }),
    });
    expect(readTaskId(continued.result)).toBe(id);
    await expect
      .poll(async () => (await call('getRun', { headers: person.page, params: inWorkspace() })).body.status)
      .toBe('completed');
    expect((await callAgent({ task_id: id, message: 'continue' })).state).toBe('completed');
  });
});

test('a connection of a user opens for their runs, with each of their credentials, and for those of nobody else', async () => {
  const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'], scope: 'user' } };
  const own = await liveAgent({ flow: flow({ connections }) }, owner);
  const colleague = await newPerson({ orgid: owner.orgid });
  const query = { workspaceid: own.workspaceid };
  const body = bearer('mine-mine-mine', { scope: 'user' });
  const params = { name: 'crm' };
  const state = async (headers: Headers) =>
    z
      .looseObject({ task: z.looseObject({ status: z.looseObject({ state: z.string() }) }) })
      .parse((await rpc(headers, 'SendMessage', { message: message() }, own)).result).task.status.state;
  expect(await state(person.page)).toBe('TASK_STATE_AUTH_REQUIRED');
  expect((await call('putConnection', { headers: person.page, params, query, body })).status).toBe(200);
  for (const headers of credentials) expect(await state(headers)).toBe('TASK_STATE_COMPLETED');
  for (const headers of [colleague.page, { 'x-api-key': owner.key }])
    expect(await state(headers)).toBe('TASK_STATE_AUTH_REQUIRED');
});
