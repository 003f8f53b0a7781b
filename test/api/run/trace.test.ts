// The trace of a run: joined by what starts it, sent with what its nodes request, and one across agents.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { attemptSpanId } from '#lib/trace-context.ts';
import { agentUrls, newMessage, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { eras, mcpClient } from '#test/support/connector.ts';
import { idle } from '#test/support/control.ts';
import { delegatingAgent, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ReceivedRequest, type Receiver, startRequestReceiver } from '#test/support/receiver.ts';
import { startRun } from '#test/support/run-calls.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { byGithub, newWebhook, secretOfTests } from '#test/support/webhook-senders.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const sent = { traceparent, tracestate: 'vendor=1' };

let receiver: Receiver<ReceivedRequest>;
beforeEach(async () => {
  receiver = await startRequestReceiver();
  return () => receiver.close();
});

const receiverHost = () => new URL(receiver.url).host;
const requesting = (some: object = {}) =>
  flow({
    egress: [receiverHost()],
    start: 'get',
    nodes: {
      get: { type: 'http', url: receiver.url, next: 'done', ...some },
      done: { type: 'end', output: { done: true } },
    },
  });

const getRun = async ({ key }: Pick<TestAgent, 'key'>, workflow_id: string) =>
  (await call('getRunDetail', { key, params: { workflow_id } })).body;

const trigger = async (agent: TestAgent, headers: Readonly<Record<string, string>> = {}) => {
  const { flowid, workspaceid, key } = agent;
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return (await call('triggerFlow', { key, params, body: { message: 'Hello' }, headers })).body;
};

describe('a run joins the trace of', () => {
  test('the request that waits for it', async () => {
    const agent = await liveAgent();
    const { workflow_id } = await trigger(agent, sent);
    expect(await getRun(agent, workflow_id)).toMatchObject({ trace_id: traceId });
  });

  test('the request that starts it in the background', async () => {
    const agent = await liveAgent();
    const { body } = await startRun(agent, 'Hello', sent);
    await idle();
    expect(await getRun(agent, body.workflow_id)).toMatchObject({ trace_id: traceId, status: 'completed' });
  });

  test('an event that is accepted', async () => {
    const agent = await liveAgent({ flow: requesting() });
    const { key, flowid: flow_id } = agent;
    const accepted = await call('acceptWebhook', {
      key,
      params: { flow_id },
      body: { event: 'x' },
      headers: sent,
    });
    await idle();
    expect(await getRun(agent, accepted.body.triggerId)).toMatchObject({ trace_id: traceId });
    expect(receiver.received[0]?.headers).toMatchObject({ tracestate: 'vendor=1' });
  });

  test('an event that a source has signed', async () => {
    const webhook = await newWebhook({ type: 'github' });
    const { body } = await webhook.send(byGithub(secretOfTests, { ref: 'main' }, sent));
    await idle();
    expect(await getRun(webhook.agent, String(body.triggerId))).toMatchObject({ trace_id: traceId });
  });

  test.each([true, false])('a message over A2A (returnImmediately: %s)', async (returnImmediately) => {
    const agent = await liveAgent();
    const params = { message: newMessage('Hello'), configuration: { returnImmediately } };
    const { result } = await rpc(agentUrls(agent).live, agent.key, 'SendMessage', params, sent);
    const { id } = z.object({ task: z.looseObject({ id: z.string() }) }).parse(result).task;
    await idle();
    expect(await getRun(agent, id)).toMatchObject({ trace_id: traceId });
  });

  test.each(eras)('a call of the connector by its _meta, from a %s client', async (era) => {
    const agent = await liveAgent();
    const client = await mcpClient(agent, era);
    const args = { registry_id: agent.a2aregistryid, message: 'Hello' };
    const result = await client.callTool({ name: 'call_agent', arguments: args, _meta: { traceparent } });
    await client.close();
    const { task_id } = z.looseObject({ task_id: z.string() }).parse(result.structuredContent);
    expect(await getRun(agent, task_id)).toMatchObject({ trace_id: traceId });
  });
});

describe('a run begins a trace of its own', () => {
  test.each([
    ['without a traceparent', {}],
    ['with one that is malformed', { traceparent: 'nonsense', tracestate: 'vendor=1' }],
    ['with a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
    ['with two of them', { traceparent: `${traceparent}, ${traceparent}` }],
  ])('%s', async (_, headers) => {
    const agent = await liveAgent({ flow: requesting() });
    const { workflow_id } = await trigger(agent, headers);
    const own = workflow_id.replaceAll('-', '');
    expect(await getRun(agent, workflow_id)).toMatchObject({ trace_id: own });
    const [request] = receiver.received;
    expect(request?.headers.traceparent).toMatch(new RegExp(`^00-${own}-[0-9a-f]{16}-01$`));
    expect(request?.headers).not.toHaveProperty('tracestate');
  });
});

describe('a request of an http node', () => {
  test('carries the trace, whose parent is the attempt that sends it', async () => {
    const retry = { max_attempts: 2, delay_ms: 1, on: ['http.503'] };
    receiver.answers.push(503);
    const agent = await liveAgent({ flow: requesting({ retry }) });
    const { workflow_id: id } = await trigger(agent, sent);
    const parents = [1, 2].map((attempt) => attemptSpanId(id, { key: 'get.1', attempt }));
    expect(receiver.received.map(({ headers }) => [headers.traceparent, headers.tracestate])).toEqual(
      parents.map((parent) => [`00-${traceId}-${parent}-01`, 'vendor=1']),
    );
  });

  test('keeps the traceparent that its flow sets', async () => {
    const own = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const agent = await liveAgent({ flow: requesting({ headers: { Traceparent: own } }) });
    await trigger(agent, sent);
    expect(receiver.received[0]?.headers).toMatchObject({ traceparent: own });
    expect(receiver.received[0]?.headers).not.toHaveProperty('tracestate');
  });
});

describe('a call of an mcp node', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer('mcp');
  });
  afterAll(() => server.stop());

  test('carries the trace in its header and in its _meta', async () => {
    const agent = await liveAgent({
      flow: flow({
        egress: [server.host],
        start: 'ask',
        nodes: {
          ask: { type: 'mcp', server: `${server.url}/mcp`, tool: 'trace', next: 'done' },
          done: { type: 'end', output: { out: '{{ nodes.ask }}' } },
        },
      }),
    });
    const { workflow_id, response } = await trigger(agent, sent);
    const parent = attemptSpanId(workflow_id, { key: 'ask.1', attempt: 1 });
    const expected = `00-${traceId}-${parent}-01`;
    expect(response).toEqual({ out: { meta: expected, header: expected } });
  });
});

test('a client, an agent, the agent that it calls and the host that this one requests are one trace', async () => {
  const caller = await newCaller();
  const inner = await liveAgent({ flow: requesting() }, caller);
  const outer = await delegatingAgent(inner, caller);
  await rpc(agentUrls(outer).live, outer.key, 'SendMessage', { message: newMessage('Hello') }, sent);
  await idle();
  const { items } = (await call('listRuns', { key: caller.key, query: { workspaceid: caller.workspaceid } }))
    .body;
  const runs = await Promise.all(items.map(({ workflow_id }) => getRun(caller, workflow_id)));
  expect(runs.map(({ flowid, trace_id }) => [flowid, trace_id]).sort()).toEqual(
    [inner, outer].map(({ flowid }) => [flowid, traceId]).sort(),
  );
  expect(receiver.received[0]?.headers.traceparent).toContain(traceId);
});
