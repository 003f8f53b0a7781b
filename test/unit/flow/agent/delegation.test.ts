// Tools of an `agent` that are flows and other agents, and the pauses that come from them.
import { describe, expect, test } from 'vitest';
import type { AgentAnswer, AgentRequest } from '#lib/flow/ports/agent.ts';
import { checkedFlow, run, scripted } from '../scripted.ts';
import {
  agentFlow,
  createFlowPort,
  question,
  reportedResults,
  resumed,
  runAgent,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const order = {
  http: { method: 'POST', url: 'https://api.example.com/orders/{{ args.id }}' },
  name: 'order',
  description: 'Changes an order.',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};
const around = { egress: ['api.example.com', 'agents.example'] };

describe('a flow tool', () => {
  const tool = {
    flow: 'inner',
    name: 'lookup',
    description: 'Looks up.',
    parameters: { type: 'object', properties: { message: { type: 'string' }, n: { type: 'integer' } } },
  };
  const echo = checkedFlow({
    say: { type: 'end', output: { message: '{{ input.message }}', n: '{{ input.user_variables.n }}' } },
  });

  test('runs the flow with the message and the other arguments as variables', async () => {
    const { prompts } = await runAgent(
      { tools: [tool] },
      {
        flows: createFlowPort({ inner: echo }).port,
        model: turns(wants(['lookup', { message: 'Hi', n: 2 }]), says('ok')),
      },
    );
    expect(reportedResults(prompts)).toEqual(['{"message":"Hi","n":2}']);
  });

  test('takes a message where nothing else is declared', async () => {
    const { prompts } = await runAgent(
      { tools: [{ flow: 'inner', name: 'lookup', description: 'x' }] },
      { flows: createFlowPort({ inner: echo }).port, model: turns(wants(['lookup', {}]), says('ok')) },
    );
    expect(reportedResults(prompts)).toEqual([
      'Error: arguments: the value: expected the property "message"',
    ]);
  });

  test('that asks pauses the run; other tools of the turn are done and not repeated', async () => {
    const asking = checkedFlow({
      ask: { type: 'ask', prompt: 'Sure?', next: 'say' },
      say: { type: 'end', output: { sure: '{{ nodes.ask }}' } },
    });
    const agent = { tools: [tool, order] };
    const first = scripted({
      flows: createFlowPort({ inner: asking }).port,
      model: turns(wants(['lookup', { n: 1 }], ['order', { id: '1' }], ['lookup', { n: 2 }])),
    });
    const paused = await run(agentFlow(agent, around), first, question);
    expect(paused).toMatchObject({
      status: 'input_required',
      requests: [{ id: 'work.1.1_0.ask.1' }, { id: 'work.1.1_2.ask.1' }],
    });
    expect(first.requests).toHaveLength(1);
    const script = () => ({ flows: createFlowPort({ inner: asking }).port, model: turns(says('Done.')) });
    const flow = agentFlow(agent, around);
    const answer = { id: 'work.1.1_2.ask.1', value: 'b' };
    const second = await resumed(flow, paused, script(), { answer });
    expect(second.outcome).toMatchObject({ requests: [{ id: 'work.1.1_0.ask.1' }] });
    const third = await resumed(flow, second.outcome, script(), { answer: { value: 'a' } });
    expect(reportedResults(third.prompts)).toEqual([
      '{"sure":"a"}',
      '{"status":200,"body":null}',
      '{"sure":"b"}',
    ]);
    expect([...second.requests, ...third.requests]).toEqual([]);
  });

  test('that fails, or leads back to a flow that is being run, is reported to the model', async () => {
    const { prompts } = await runAgent(
      { tools: [tool, { ...tool, flow: 'missing', name: 'missing' }] },
      {
        flows: createFlowPort({ inner: checkedFlow({ no: { type: 'fail', message: 'No.' } }) }).port,
        model: turns(wants(['lookup', {}], ['missing', {}]), says('ok')),
      },
    );
    expect(reportedResults(prompts)).toEqual([
      'Error: fail: inner, node "no": No.',
      'Error: flow.not_found: There is no flow "missing".',
    ]);
  });
});

describe('agents as tools', () => {
  const helper = { a2a: 'https://agents.example/helper', name: 'helper', description: 'Helps.' };
  const answering = (...answers: readonly AgentAnswer[]) => {
    const left = [...answers];
    const requests: AgentRequest[] = [];
    const agent = async (request: AgentRequest): Promise<AgentAnswer> => {
      requests.push(request);
      return left.shift() ?? { state: 'completed', text: 'Done.' };
    };
    return { agent, requests };
  };

  test('are sent the message, and their text is the result', async () => {
    const { agent, requests } = answering();
    const { prompts } = await runAgent(
      { tools: [helper] },
      { agent, model: turns(wants(['helper', { message: 'Go.' }]), says('ok')) },
      around,
    );
    expect(requests).toMatchObject([{ agent: 'https://agents.example/helper', text: 'Go.' }]);
    expect(reportedResults(prompts)).toEqual(['Done.']);
  });

  test('that ask pause the run; the answer goes to the same task of each in turn', async () => {
    const asks = (task_id: string): AgentAnswer => ({
      state: 'input_required',
      task_id,
      text: `${task_id}?`,
    });
    const agent = { tools: [helper] };
    const first = answering(asks('t0'), asks('t1'));
    const paused = await run(
      agentFlow(agent, around),
      scripted({
        agent: first.agent,
        model: turns(wants(['helper', { message: 'a' }], ['helper', { message: 'b' }])),
      }),
      question,
    );
    expect(paused).toMatchObject({ requests: [{ id: 'work.1', purpose: 'ask', prompt: 't0?' }] });
    const second = answering({ state: 'completed', text: 'A' });
    const script = { agent: second.agent };
    const still = await resumed(agentFlow(agent, around), paused, script, { answer: { value: '0' } });
    expect(second.requests).toMatchObject([{ task_id: 't0', text: '0' }]);
    expect(still.outcome).toMatchObject({ requests: [{ prompt: 't1?' }] });
    const third = answering({ state: 'completed', text: 'B' });
    const last = { agent: third.agent, model: turns(says('Both.')) };
    const done = await resumed(agentFlow(agent, around), still.outcome, last, { answer: { value: '1' } });
    expect(third.requests).toMatchObject([{ task_id: 't1', text: '1' }]);
    expect(reportedResults(done.prompts)).toEqual(['A', 'B']);
  });
});
