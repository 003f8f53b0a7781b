// What runs make of stored connections: whose value they get, that it is sent nowhere else, and that another agent
// accepts it.
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createAgentPort } from '#lib/a2a-client/port.ts';
import { createConnectionFetches } from '#lib/connection/connection-fetch.ts';
import { createConnectionFinder } from '#lib/connection/find.ts';
import { missingConnections } from '#lib/connection/missing.ts';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { createDiscoverPort } from '#lib/discovery/discover-port.ts';
import { documents } from '#lib/dynamo/client.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { requireEnv } from '#lib/env.ts';
import type { ConnectionDeclaration, DeclaredConnections } from '#lib/flow/format/connection.ts';
import { card, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { failingFlow, liveAgent } from '#test/support/flows.ts';
import { testedService } from '#test/support/tested-service.ts';

const gatewayUrl = testedService().baseUrl;
const { host } = new URL(gatewayUrl);
const crm: ConnectionDeclaration = { type: 'http_bearer', hosts: ['api.crm.example'] };
const nodeCall = {
  runId: 'run1',
  key: 'node.1',
  nodeId: 'node',
  visit: 1,
  attempt: 1,
  signal: new AbortController().signal,
};

/** Whose connections a run uses that the caller starts in its own workspace. */
const toOwner = ({ orgid, workspaceid, id }: TestCaller) => ({ orgid, workspaceid, user: id });

async function readToken(caller: TestCaller, declaration = crm): Promise<string | undefined> {
  const { value } = (await createConnectionFinder(toOwner(caller))('crm', declaration)) ?? {};
  return value?.type === 'http_bearer' ? value.credential.token.reveal() : undefined;
}

describe('a run gets', () => {
  test('the value of the organisation, only in the workspace where it was stored', async () => {
    const caller = await newCaller();
    await putConnection(caller, 'crm', bearer());
    const colleague = { ...(await newCaller({ orgid: caller.orgid })), workspaceid: caller.workspaceid };
    const stranger = { ...(await newCaller()), workspaceid: caller.workspaceid };
    expect(await readToken(caller)).toBe('hunter2-hunter2');
    expect(await readToken(colleague)).toBe('hunter2-hunter2');
    expect(await readToken({ ...caller, workspaceid: 'ws_other' })).toBeUndefined();
    expect(await readToken(stranger)).toBeUndefined();
  });

  test('for a connection of scope user, the value of the caller who started the run', async () => {
    const caller = await newCaller();
    const colleague = { ...(await newCaller({ orgid: caller.orgid })), workspaceid: caller.workspaceid };
    await putConnection(caller, 'crm', bearer('mine-mine-mine', { scope: 'user' }));
    expect(await readToken(caller, { ...crm, scope: 'user' })).toBe('mine-mine-mine');
    expect(await readToken(colleague, { ...crm, scope: 'user' })).toBeUndefined();
    expect(await readToken(caller)).toBeUndefined();
  });
});

test('a value that was moved to another name or workspace in the table is not decrypted', async () => {
  const caller = await newCaller();
  await putConnection(caller, 'mail', bearer());
  const TableName = requireEnv('CONTROL_TABLE');
  const pk = `CONN#${caller.orgid}#${caller.workspaceid}`;
  const { Item } = await documents.send(new GetCommand({ TableName, Key: { pk, sk: 'ORG#mail' } }));
  const moved = { ...Item, name: 'crm', sk: 'ORG#crm' };
  await documents.send(new PutCommand({ TableName, Item: moved }));
  await expect(readToken(caller)).rejects.toMatchObject({ code: 'payload_unreadable' });
  const away = { ...caller, workspaceid: unique('ws') };
  const pkAway = `CONN#${caller.orgid}#${away.workspaceid}`;
  await documents.send(new PutCommand({ TableName, Item: { ...moved, pk: pkAway } }));
  await expect(readToken(away)).rejects.toMatchObject({ code: 'payload_unreadable' });
});

describe('before a run', () => {
  const declared: DeclaredConnections = {
    crm,
    mail: { type: 'http_basic', scope: 'user', label: 'Mail', hosts: ['mail.example'] },
  };

  test('the missing connections are listed, each with its purpose', async () => {
    const caller = await newCaller();
    expect(await missingConnections(undefined, toOwner(caller))).toEqual([]);
    expect(await missingConnections(declared, toOwner(caller))).toEqual([
      { ...declared.crm, name: 'crm', scope: 'organization' },
      { ...declared.mail, name: 'mail', scope: 'user' },
    ]);
    await putConnection(caller, 'crm', bearer());
    expect(await missingConnections(declared, toOwner(caller))).toMatchObject([{ name: 'mail' }]);
  });

  test('a value of another type or scope counts as missing', async () => {
    const caller = await newCaller();
    await putConnection(caller, 'mail', bearer('mine', { scope: 'user' }));
    await putConnection(caller, 'crm', bearer('mine', { scope: 'user' }));
    const missing = await missingConnections(declared, toOwner(caller));
    expect(missing.map(({ name }) => name)).toEqual(['crm', 'mail']);
  });

  test('201 declarations are looked up as well', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`c${n}`, crm]));
    expect(await missingConnections(many, toOwner(await newCaller()))).toHaveLength(201);
  });
});

describe('another agent of the service', () => {
  /** A caller whose workspace has a key for the service as a connection. */
  async function newNeighbour(orgid?: string) {
    const caller = await newCaller(orgid === undefined ? {} : { orgid });
    const credential = { header: 'X-API-Key', value: caller.key };
    await putConnection(caller, 'agents', { type: 'http_header', hosts: [host], credential });
    const connect = createConnectionFetches({
      fetch: createGuardedFetch({ allowPrivate: [host] }),
      declared: { agents: { type: 'http_header', hosts: [host] } },
      find: createConnectionFinder(toOwner(caller)),
      memory: newTokenMemory(),
    });
    const port = createAgentPort({ getFetch: connect, addresses: [gatewayUrl] });
    const send = async (agent: string, more = {}) =>
      await port({ key: 'k', agent, text: 'hello', egress: [], metadata: {}, ...more }, nodeCall);
    return { ...caller, send };
  }

  test('is called by its registry id, or by its URL if egress lists the service', async () => {
    const { a2aregistryid, flowid, orgid } = await liveAgent();
    const { send } = await newNeighbour(orgid);
    const connection = 'agents';
    const answer = await send(a2aregistryid, { connection });
    expect(answer).toMatchObject({
      state: 'completed',
      task_id: expect.any(String),
      text: 'hello',
    });
    const url = `${gatewayUrl}/api/v1/ai/a2a/${flowid}`;
    expect(await send(url, { connection, egress: [host] })).toMatchObject({ text: answer.text });
    await expect(send(url, { connection })).rejects.toMatchObject({ code: 'egress.host_not_listed' });
  });

  test('continues a conversation by its context_id', async () => {
    const nodes = { done: { type: 'end', output: { context: '{{ input.a2a.contextId }}' } } };
    const { a2aregistryid, orgid } = await liveAgent({ flow: flow({ nodes }) });
    const { send } = await newNeighbour(orgid);
    const first = await send(a2aregistryid, { connection: 'agents' });
    expect(first.text).toBe(first.context_id);
    const { context_id } = first;
    const second = await send(a2aregistryid, { connection: 'agents', context_id });
    expect(second).toMatchObject({ context_id, text: context_id });
    expect(second.task_id).not.toBe(first.task_id);
  });

  test('reports what went wrong', async () => {
    const { a2aregistryid, orgid } = await liveAgent({ flow: failingFlow() });
    const { send } = await newNeighbour(orgid);
    expect(await send(a2aregistryid, { connection: 'agents' })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('No stock of hello.'),
    });
  });

  test('cannot be called by a run without a key, nor with the key of another organisation', async () => {
    const { a2aregistryid, orgid } = await liveAgent();
    const { send } = await newNeighbour(orgid);
    await expect(send(a2aregistryid)).rejects.toMatchObject({ code: 'a2a.unauthorized' });
    const stranger = await newNeighbour();
    await expect(stranger.send(a2aregistryid, { connection: 'agents' })).rejects.toMatchObject({
      code: 'a2a.unauthorized',
    });
  });
});

describe('the agents that a flow can find', () => {
  const words = () => `${unique('zebra')} ${unique('quagga')}`;

  test('are the live agents of the organisation and the public agents of others, by query and filters', async () => {
    const q = words();
    const owner = await newCaller();
    const agent = async (caller: TestCaller, visibility: 'public' | 'organization', tags: string[]) => {
      const row = await newRow(caller, { visibility, agent_card: card({ name: q, tags }) });
      await promoted(caller, row);
      return row.a2aregistryid;
    };
    const own = await agent(owner, 'organization', ['billing']);
    const stranger = await newCaller();
    const open = await agent(stranger, 'public', ['billing', 'refunds']);
    await agent(stranger, 'organization', ['billing']);
    const discover = createDiscoverPort(toOwner(owner));
    const found = async (filter: Parameters<typeof discover>[0]) =>
      (await discover(filter, nodeCall)).map((each) => each.agent).sort();
    expect(await found({ q })).toEqual([own, open].sort());
    expect(await found({ q, visibility: 'public' })).toEqual([open]);
    expect(await found({ q, tags: ['refunds'] })).toEqual([open]);
    expect(await found({ visibility: 'organization' })).toEqual([own]);
    expect(await found({ q, output_modes: ['image/png'] })).toEqual([]);
    expect(await discover({ q, visibility: 'public' }, nodeCall)).toEqual([
      { agent: open, name: q, description: expect.any(String) },
    ]);
  });

  test('include builds under test of its own workspace only', async () => {
    const owner = await newCaller();
    const { a2aregistryid } = await newRow(owner);
    await newRow({ ...owner, workspaceid: unique('ws') });
    const found = await createDiscoverPort(toOwner(owner))({ status: 'test' }, nodeCall);
    expect(found.map(({ agent }) => agent)).toEqual([a2aregistryid]);
  });
});
