// A tool of an `agent` that calls one of the agents found by the flow's filters: they are found once in a
// conversation, also when it is resumed.
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { AgentRequest, FoundAgent } from '#lib/flow/ports/agent.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { checkedFlow, run, scripted } from '../scripted.ts';
import {
  agentFlow,
  createFlowPort,
  question,
  readAgentOutput,
  reportedResults,
  resumed,
  runAgent,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const orders = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const parcels = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1F';
const ask = { discover: { tags: ['shop'] }, name: 'ask', description: 'Asks one of:' };

/** A registry and the agents in it, which say what they are asked. */
function registry(...agents: readonly FoundAgent[]) {
  const filters: unknown[] = [];
  const requests: AgentRequest[] = [];
  return {
    filters,
    requests,
    discover: async (filter: unknown) => {
      filters.push(filter);
      return agents;
    },
    agent: async (request: AgentRequest) => {
      requests.push(request);
      if (agents.some(({ agent }) => agent === request.agent))
        return { state: 'completed', text: `re ${request.text}` } as const;
      throw new NodeError('a2a.not_found', `There is no agent ${request.agent}.`);
    },
  };
}

const about = (agent: string, name: string) => ({ agent, name, description: `All about ${name}` });

test('the agents found can be chosen among, and no other can', async () => {
  const found = registry({ agent: orders, name: 'Orders', description: 'All\nabout orders' });
  const model = turns(
    wants(
      ['ask', { agent: orders, message: 'Hi' }],
      ['ask', { agent: 'https://evil.example/', message: 'Hi' }],
    ),
    says('ok'),
  );
  const { prompts } = await runAgent({ tools: [ask] }, { ...found, model });
  expect(prompts[0]?.tools?.[0]?.description).toBe(`Asks one of:\n- ${orders}: Orders: All about orders`);
  expect(found.requests).toMatchObject([{ agent: orders }]);
  expect(reportedResults(prompts)[1]).toContain('/agent: expected one of');
});

test('where none is found there is no such tool, also when there are some later', async () => {
  const order = {
    http: { method: 'POST', url: 'https://api.example.com/' },
    name: 'order',
    description: 'Orders.',
  };
  const flow = agentFlow({ tools: [ask, { ...order, approval: 'always' }] }, { egress: ['api.example.com'] });
  const paused = await run(flow, scripted({ ...registry(), model: turns(wants(['order', {}])) }), question);
  const later = { ...registry(about(orders, 'orders')), model: turns(says('Alone.')) };
  const { outcome, prompts } = await resumed(flow, paused, later, { answer: { value: 'approve' } });
  expect(prompts[0]?.tools?.map(({ name }) => name)).toEqual(['order']);
  expect(readAgentOutput(outcome)).toMatchObject({ text: 'Alone.' });
});

test('what the conversation stores of the agents is bounded, and is what the model sees', async () => {
  const many = Array.from({ length: 30 }, (_, n) => ({
    agent: `reg_${n}`,
    name: 'n'.repeat(9_000),
    description: 'd'.repeat(9_000),
  }));
  const flow = agentFlow({ tools: [{ ...ask, approval: 'always' }] });
  const asks = wants(['ask', { agent: 'reg_0', message: 'Hi' }]);
  const recorded = scripted({ ...registry(...many), model: turns(asks) });
  await run(flow, recorded, question);
  expect(recorded.prompts[0]?.tools?.[0]?.description.split('\n')).toHaveLength(1 + limits.foundAgentsMax);
  expect(recorded.snapshots.at(-1)?.length).toBeLessThan(10_000);
});

describe('a resumed conversation searches the registry no more, and has the same tools:', () => {
  const inner = checkedFlow({
    sure: { type: 'ask', prompt: 'Sure?', next: 'done' },
    done: { type: 'end', output: { sure: '{{ nodes.sure }}' } },
  });
  const look = { flow: 'inner', name: 'look', description: 'Looks.' };
  const watched = { ...ask, approval: 'always' };
  const helper = { name: 'helper', description: 'Helps.', instructions: 'Help.', tools: [watched] };
  const asks = wants(['ask', { agent: orders, message: 'Hi' }]);
  const hands = wants(['helper', { message: 'Go.' }]);
  const ways: readonly (readonly [string, JsonObject, ModelAnswer[], Json])[] = [
    ['a use that was approved', { tools: [watched] }, [asks], 'approve'],
    ['a flow that has its answer', { tools: [ask, look] }, [wants(['look', { message: 'x' }])], 'yes'],
    ['an agent inside the agent', { agents: [helper] }, [hands, asks], 'approve'],
  ];

  test.each(ways)('%s', async (_what, agent, first, value) => {
    const flow = agentFlow(agent);
    const before = registry(about(orders, 'orders'), about(parcels, 'parcels'));
    const { port: flows } = createFlowPort({ inner });
    const begun = scripted({ ...before, flows, model: turns(...first) });
    const paused = await run(flow, begun, question);
    expect(before.filters).toEqual([{ tags: ['shop'] }]);
    const after = registry(about('reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1G', 'other'), about(orders, 'refunds'));
    const script = { ...after, flows, model: turns(says('ok'), says('ok')) };
    const { outcome, prompts } = await resumed(flow, paused, script, { answer: { value } });
    expect(outcome.status).toBe('completed');
    expect(after.filters).toEqual([]);
    expect(prompts[0]?.tools).toEqual(begun.prompts.at(-1)?.tools);
  });

  test('from whatever snapshot another worker resumes', async () => {
    const flow = agentFlow({ tools: [ask] });
    const model = ({ messages }: ModelRequest) => (messages.length > 1 ? says('ok') : asks);
    const whole = scripted({ ...registry(about(orders, 'orders')), model });
    const expected = await run(flow, whole, question);
    expect(whole.snapshots.length).toBeGreaterThan(2);
    for (const text of whole.snapshots) {
      const found = registry(about(orders, 'orders'));
      const at = { status: 'yielded', snapshot: JSON.parse(text) } as const;
      const { outcome } = await resumed(flow, at, { ...found, model });
      expect(outcome).toEqual(expected);
      expect(found.filters).toEqual([]);
    }
  });
});

test('an agent that has left the registry since is reported to the model as an error', async () => {
  const flow = agentFlow({ tools: [{ ...ask, approval: 'always' }] });
  const asks = wants(['ask', { agent: orders, message: 'Hi' }]);
  const before = scripted({ ...registry(about(orders, 'orders')), model: turns(asks) });
  const paused = await run(flow, before, question);
  const script = { ...registry(), model: turns(says('Gone.')) };
  const { outcome, prompts } = await resumed(flow, paused, script, { answer: { value: 'approve' } });
  expect(reportedResults(prompts)).toEqual([`Error: a2a.not_found: There is no agent ${orders}.`]);
  expect(readAgentOutput(outcome)).toMatchObject({ text: 'Gone.' });
});
