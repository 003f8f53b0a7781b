// What agents use counts against the budget of the run that calls them, within one organisation.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type JsonObject, jsonObject } from '#lib/json/json.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { testedService } from '#test/support/tested-service.ts';

const { baseUrl } = testedService();
const { host } = new URL(baseUrl);

/** Takes that many steps, of which the last ends the run. */
function stepsFlow(count: number, end: JsonObject = {}) {
  const nodes: Record<string, JsonObject> = { done: { type: 'end', output: { text: 'ok' }, ...end } };
  for (let n = 1; n < count; n++)
    nodes[`s${n}`] = { type: 'transform', output: n, next: n + 1 < count ? `s${n + 1}` : 'done' };
  return flow({ start: count > 1 ? 's1' : 'done', nodes });
}

const modelFlow = () =>
  flow({
    start: 'say',
    nodes: {
      say: { type: 'llm', messages: [{ role: 'user', content: 'Hello' }], next: 'done' },
      done: { type: 'end', output: {} },
    },
  });

const answered = z.object({ result: jsonObject });

/** The result of `SendMessage` to the agent. */
async function send(agent: TestAgent, { key }: TestCaller = agent): Promise<JsonObject> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hi' }] };
  const response = await fetch(`${baseUrl}/api/v1/ai/a2a/${agent.flowid}/`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  return answered.parse(await response.json()).result;
}

describe('an agent reports', () => {
  test('the steps, model calls and tokens of a task to its organisation', async () => {
    const used = { steps: 2, model_calls: 1, tokens: expect.any(Number) };
    const { task } = await send(await liveAgent({ flow: modelFlow() }));
    expect(task).toMatchObject({ metadata: { agent_flow: { used } } });
    const { message } = await send(await liveAgent({ flow: stepsFlow(3, { as: 'message' }) }));
    const three = { steps: 3, model_calls: 0, tokens: 0 };
    expect(message).toMatchObject({ metadata: { agent_flow: { used: three } } });
  });

  test('those of a task that has failed', async () => {
    const failing = flow({ start: 'no', nodes: { no: { type: 'fail', message: 'No.' } } });
    const { task } = await send(await liveAgent({ flow: failing }));
    expect(task).toMatchObject({ metadata: { agent_flow: { used: { steps: 1 } } } });
  });

  test('nothing to another organisation', async () => {
    const agent = await liveAgent({ flow: modelFlow(), visibility: 'public' });
    const { task } = await send(agent, await newCaller());
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(JSON.stringify(task)).not.toContain('agent_flow');
  });
});

describe('a run that calls agents', () => {
  const declared = { type: 'http_header', hosts: [host] };

  /** Calls the agent in two branches at the same time. */
  async function callingInParallel(caller: TestCaller, node: JsonObject, limits: JsonObject) {
    await putConnection(caller, 'agents', {
      ...declared,
      credential: { header: 'X-API-Key', value: caller.key },
    });
    const ask = { type: 'a2a', message: 'Hi', connection: 'agents', ...node };
    const branch = (id: string) => ({ start: id, nodes: { [id]: ask } });
    const nodes = {
      both: { type: 'parallel', branches: { l: branch('l'), r: branch('r') }, next: 'done' },
      done: { type: 'end', output: { done: true } },
    };
    const connections = { agents: declared };
    const calling = flow({ start: 'both', nodes, connections, limits, egress: [host] });
    return await liveAgent({ flow: calling }, caller);
  }

  async function result({ flowid, workspaceid, key }: TestAgent): Promise<JsonObject> {
    const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
    return JSON.parse((await call('triggerFlow', { key, params, body: { message: 'Go' } })).text);
  }

  test.each(['by its registry id', 'by its URL'])('has their steps of an agent %s', async (way) => {
    const caller = await newCaller();
    const other = await liveAgent({ flow: stepsFlow(10) }, caller);
    const url = `${baseUrl}/api/v1/ai/a2a/${other.flowid}/`;
    const node = { agent: way.includes('URL') ? url : other.a2aregistryid };
    const within = await callingInParallel(caller, node, { max_steps: 24 });
    expect(await result(within)).toMatchObject({ status: 'completed' });
    const beyond = await callingInParallel(caller, node, { max_steps: 22 });
    expect(await result(beyond)).toMatchObject({ status: 'failed' });
    expect((await result(beyond)).error).toContain('(limit.steps)');
  });

  test('has the model calls of the agents that these call', async () => {
    const caller = await newCaller();
    const inner = await liveAgent({ flow: modelFlow() }, caller);
    const middle = await callingInParallel(caller, { agent: inner.a2aregistryid }, {});
    const { task } = await send(middle);
    const used = { steps: 8, model_calls: 2 };
    expect(task).toMatchObject({ metadata: { agent_flow: { used } } });
    const outer = await callingInParallel(caller, { agent: middle.a2aregistryid }, { max_model_calls: 3 });
    expect((await result(outer)).error).toContain('(limit.model_calls)');
  });

  test('is not charged by an agent of another organisation', async () => {
    const caller = await newCaller();
    const other = await liveAgent({ flow: stepsFlow(10), visibility: 'public' });
    const agent = await callingInParallel(caller, { agent: other.a2aregistryid }, { max_steps: 15 });
    expect(await result(agent)).toMatchObject({ status: 'completed', response: { done: true } });
  });
});
