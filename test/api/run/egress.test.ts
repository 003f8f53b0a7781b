// Runs that call MCP servers, other flows and other agents, end to end: the real ports, a real MCP server in
// another process, and the service itself as the other agent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import type { RunResult } from '#lib/run/result.ts';
import { card, flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { testedService } from '#test/support/tested-service.ts';

const { host } = new URL(testedService().baseUrl);

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer('mcp');
});
afterAll(() => server.stop());

async function runAgent(agent: TestAgent, message = 'Hello'): Promise<RunResult> {
  const { flowid, workspaceid, key } = agent;
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return JSON.parse((await call('triggerFlow', { key, params, body: { message } })).text);
}

/** One node, whose output is the response. */
const flowWith = (node: JsonObject, more: JsonObject = {}) =>
  flow({
    start: 'out',
    nodes: { out: { ...node, next: 'done' }, done: { type: 'end', output: { out: '{{ nodes.out }}' } } },
    ...more,
  });

test('a flow uses a tool of an MCP server, with its credential', async () => {
  const caller = await newCaller();
  await putConnection(caller, 'kb', bearer('hunter2-hunter2', { hosts: [server.host] }));
  const node = {
    type: 'mcp',
    server: `${server.url}/mcp`,
    tool: 'add',
    arguments: { a: 1, b: 2 },
    connection: 'kb',
  };
  const connections = { kb: { type: 'http_bearer', hosts: [server.host] } };
  const agent = await liveAgent({ flow: flowWith(node, { egress: [server.host], connections }) }, caller);
  expect(await runAgent(agent)).toMatchObject({ status: 'completed', response: { out: { sum: 3 } } });
});

describe('a flow that calls another flow of its workspace', () => {
  test('gets its response, and the log has the nodes of both', async () => {
    const inner = await liveAgent();
    const outer = await liveAgent(
      { flow: flowWith({ type: 'flow', flowid: inner.flowid, message: 'Hi' }) },
      inner,
    );
    const result = await runAgent(outer);
    expect(result).toMatchObject({ status: 'completed', response: { out: { said: 'Hi' } } });
    expect(result.logs).toContainEqual(expect.objectContaining({ node_id: 'done', scope: 'out.1.flow' }));
  });

  test('fails with the reason and the node of the called flow', async () => {
    const inner = await liveAgent({ flow: failingFlow() });
    const outer = await liveAgent({ flow: flowWith({ type: 'flow', flowid: inner.flowid }) }, inner);
    expect((await runAgent(outer)).error).toMatch(/^out: .*node "broken": No stock of/);
  });

  test('does not find a flow of another workspace', async () => {
    const foreign = await liveAgent();
    const outer = await liveAgent({ flow: flowWith({ type: 'flow', flowid: foreign.flowid }) });
    expect((await runAgent(outer)).error).toContain('(flow.not_found)');
  });

  test('fails with the missing connections of that flow', async () => {
    const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'] } };
    const inner = await liveAgent({ flow: flow({ connections }) });
    const outer = await liveAgent({ flow: flowWith({ type: 'flow', flowid: inner.flowid }) }, inner);
    expect((await runAgent(outer)).error).toMatch(/crm. \(connection.missing\)$/);
  });

  test('uses the connections of that flow, which it need not declare itself', async () => {
    const caller = await newCaller();
    await putConnection(caller, 'kb', bearer('hunter2-hunter2', { hosts: [server.host] }));
    const connections = { kb: { type: 'http_bearer', hosts: [server.host] } };
    const node = {
      type: 'mcp',
      server: `${server.url}/mcp`,
      tool: 'add',
      arguments: { a: 2, b: 2 },
      connection: 'kb',
    };
    const inner = await liveAgent({ flow: flowWith(node, { egress: [server.host], connections }) }, caller);
    const outer = await liveAgent({ flow: flowWith({ type: 'flow', flowid: inner.flowid }) }, caller);
    expect(await runAgent(outer)).toMatchObject({ response: { out: { out: { sum: 4 } } } });
  });
});

describe('a flow that calls another agent of the service', () => {
  /** The key of the caller is the credential. */
  async function connected(caller: TestCaller): Promise<JsonObject> {
    const declared = { type: 'http_header', hosts: [host] };
    const credential = { header: 'X-API-Key', value: caller.key };
    await putConnection(caller, 'agents', { ...declared, credential });
    return { agents: declared };
  }

  test('by its registry id gets its response', async () => {
    const caller = await newCaller();
    const other = await liveAgent({}, caller);
    const connections = await connected(caller);
    const node = {
      type: 'a2a',
      agent: other.a2aregistryid,
      message: '{{ input.message }}',
      connection: 'agents',
    };
    const agent = await liveAgent({ flow: flowWith(node, { connections }) }, caller);
    expect(await runAgent(agent, 'Hi')).toMatchObject({
      status: 'completed',
      response: { out: { text: 'Hi', state: 'completed' } },
    });
  });

  test('without a connection is refused, with the field that is missing', async () => {
    const caller = await newCaller();
    const { a2aregistryid: id } = await liveAgent({}, caller);
    const agent = await liveAgent({ flow: flowWith({ type: 'a2a', agent: id, message: 'Hi' }) }, caller);
    expect((await runAgent(agent)).error).toContain(
      `There is no agent ${id} without credentials: the call names no \`connection\` (401). (a2a.unauthorized)`,
    );
  });

  test('by stored filters finds it', async () => {
    const caller = await newCaller();
    const name = `Tea ${caller.workspaceid}`;
    await liveAgent({ agent_card: card({ name }) }, caller);
    const connections = await connected(caller);
    const node = { type: 'a2a', discover: { q: name, status: 'live' }, message: 'Hi', connection: 'agents' };
    const agent = await liveAgent({ flow: flowWith(node, { connections }) }, caller);
    expect(await runAgent(agent)).toMatchObject({ response: { out: { text: 'Hi' } } });
  });

  test('that calls back is stopped at the second call of the same flow', async () => {
    const caller = await newCaller();
    const connections = await connected(caller);
    const there = await liveAgent({}, caller);
    const node = (agent: string) => ({ type: 'a2a', agent, message: 'x', connection: 'agents' });
    const here = await liveAgent({ flow: flowWith(node(there.a2aregistryid), { connections }) }, caller);
    await call('updateRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: there.a2aregistryid },
      body: { agent_card: card(), flow: flowWith(node(here.a2aregistryid), { connections }) },
    });
    expect((await runAgent(here)).error).toContain('flow.cycle');
  });

  test('found by an agent is called once approved; if it has gone since, the model gets an error', async () => {
    const caller = await newCaller();
    const name = `Tea ${caller.workspaceid}`;
    const tea = flow({ nodes: { done: { type: 'end', output: { answer: 'Assam, first flush.' } } } });
    const found = await liveAgent({ agent_card: card({ name }), flow: tea }, caller);
    const connections = await connected(caller);
    const asking = { name: 'ask_tea', description: 'Asks one of:', approval: 'always' };
    const tool = { ...asking, discover: { q: name, status: 'live' }, connection: 'agents' };
    const node = { type: 'agent', instructions: 'Be brief.', tools: [tool] };
    const agent = await liveAgent({ flow: flowWith(node, { connections }) }, caller);
    const [first, second] = [await startedRun(agent, 'Ask tea'), await startedRun(agent, 'Ask tea')];
    await idle();
    const approved = async (id: string) => {
      await resumeRun(agent, id, { answer: 'approve' });
      await idle();
      return await runState(agent, id);
    };
    expect(await approved(first)).toMatchObject({
      status: 'completed',
      response: { out: { text: expect.stringContaining('Assam, first flush.') } },
    });
    await call('deleteRegistryRow', { key: caller.key, params: { a2aregistryid: found.a2aregistryid } });
    await liveAgent({ agent_card: card({ name }) }, caller);
    const { status, logs = [] } = await approved(second);
    expect(status).toBe('completed');
    expect(logs.find(({ event }) => event === 'tool')?.message).toBe(
      `ask_tea failed: a2a.unauthorized: There is no agent ${found.a2aregistryid} for these credentials (401).`,
    );
  });
});

test('an agent uses the model of the tenant and the tools of an MCP server', async () => {
  const node = { type: 'agent', instructions: 'Be brief.', tools: [{ mcp: `${server.url}/mcp` }] };
  const agent = await liveAgent({ flow: flowWith(node, { egress: [server.host] }) });
  const result = await runAgent(agent);
  expect(result).toMatchObject({ status: 'completed', response: { out: { turns: 1 } } });
  expect(result.logs.map(({ event }) => event)).toContain('turn');
});
