// What the result of a tool can be beside an answer to the model: values of the state, and the end of the agent.
import { describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { checkedFlow, httpAnswer, run, scripted } from '../scripted.ts';
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

const tool = (name: string, some: JsonObject = {}): JsonObject => ({
  http: { url: `https://api.example.com/${name}` },
  name,
  description: name,
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
  ...some,
});
const around = { egress: ['api.example.com'] };
const http = ({ url }: { readonly url: string }) => httpAnswer(200, url.split('/').at(-1));

describe('a tool with `assign`', () => {
  const assign = { order: '{{ result.body }}', asked: '{{ args.n }}' };

  test('sets variables of the state and of `captured` from its result, without the model', async () => {
    const { outcome, prompts } = await runAgent(
      { tools: [tool('order', { assign })] },
      { http, model: turns(wants(['order', { n: 7 }]), says('ok')) },
      around,
    );
    expect(outcome).toMatchObject({
      response: { work: { captured: { order: 'order', asked: 7 } }, state: { order: 'order', asked: 7 } },
    });
    expect(reportedResults(prompts)).toEqual(['{"status":200,"body":"order"}']);
  });

  test('sets nothing when it fails; of several uses in a turn the last one counts', async () => {
    const failing = await runAgent(
      { tools: [tool('order', { assign })] },
      { http: () => httpAnswer(500, 'down'), model: turns(wants(['order', { n: 7 }]), says('ok')) },
      around,
    );
    expect(failing.outcome).toMatchObject({ response: { state: {} } });
    const first = Promise.withResolvers<void>();
    const { outcome } = await runAgent(
      {
        tools: [
          tool('a', { assign: { last: '{{ result.body }}' } }),
          tool('b', { assign: { last: '{{ result.body }}' } }),
        ],
      },
      {
        http: async ({ url }) => {
          if (url.endsWith('a')) await first.promise;
          else first.resolve();
          return http({ url });
        },
        model: turns(wants(['a', {}], ['b', {}]), says('ok')),
      },
      around,
    );
    expect(outcome).toMatchObject({ response: { state: { last: 'b' } } });
  });

  test('is evaluated once, also when the run pauses in the same turn', async () => {
    const agent = { tools: [tool('order', { assign }), { ask_user: {} }] };
    const flow = agentFlow(agent, around);
    const calls = [
      ['order', { n: 7 }],
      ['ask_user', { question: 'Sure?' }],
    ] as const;
    const asked = await run(flow, scripted({ http, model: turns(wants(...calls)) }), question);
    const second = await resumed(flow, asked, { model: turns(says('ok')) }, { answer: { value: 'yes' } });
    expect(second.requests).toEqual([]);
    expect(second.outcome).toMatchObject({ response: { state: { order: 'order', asked: 7 } } });
  });

  test('that fails is an error of the node, because the tool has had its effect', async () => {
    const { outcome } = await runAgent(
      { tools: [tool('order', { assign: { n: '{{ 1 + result.body }}' } })] },
      { http, model: turns(wants(['order', {}]), says('ok')) },
      around,
    );
    expect(outcome).toMatchObject({ error: { code: 'expression.error', node_id: 'work' } });
  });

  test('cannot set what `capture` sets, and expressions see no other names', () => {
    const work = (some: JsonObject) => ({
      work: { type: 'agent', instructions: 'x', ...some },
    });
    const capture = { order: { description: 'x', schema: {} } };
    expect(() => checkedFlow(work({ tools: [tool('order', { assign })], capture }), around)).toThrow(
      'expected a name that `capture` does not have',
    );
    const wrong = work({ tools: [tool('order', { assign: { x: '{{ answer }}' } })] });
    expect(() => checkedFlow(wrong, around)).toThrow('answer');
  });
});

describe('a tool with `ends`', () => {
  test('ends the agent with its result, without another turn', async () => {
    const { outcome, prompts } = await runAgent(
      { tools: [tool('look'), tool('order', { ends: true })] },
      { http, model: turns(wants(['look', {}]), wants(['order', {}])) },
      around,
    );
    expect(readAgentOutput(outcome)).toEqual({
      text: '',
      data: { status: 200, body: 'order' },
      captured: {},
      turns: 2,
      finish_reason: null,
    });
    expect(prompts).toHaveLength(2);
  });

  test('of which several are used in a turn: the first one in the order of the model counts', async () => {
    const { outcome } = await runAgent(
      { tools: [tool('a', { ends: true }), tool('b', { ends: true })] },
      { http, model: turns(wants(['b', {}], ['a', {}])) },
      around,
    );
    expect(readAgentOutput(outcome)).toMatchObject({ data: { body: 'b' } });
  });

  test('that fails does not end it', async () => {
    const { outcome, prompts } = await runAgent(
      { tools: [tool('order', { ends: true })] },
      {
        http: () => {
          throw new NodeError('http.network', 'No way.');
        },
        model: turns(wants(['order', {}]), says('Sorry.')),
      },
      around,
    );
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'Sorry.' });
    expect(reportedResults(prompts)).toEqual(['Error: http.network: No way.']);
  });

  test('must give what output_schema says, else the model learns why not', async () => {
    const output_schema = { type: 'object', properties: { body: { const: 'order' } }, required: ['body'] };
    const { outcome, prompts } = await runAgent(
      { tools: [tool('a', { ends: true }), tool('order', { ends: true })], output_schema },
      { http, model: turns(wants(['a', {}]), wants(['order', {}])) },
      around,
    );
    expect(reportedResults(prompts)).toEqual([
      expect.stringContaining('Error: the result does not match output_schema: /body'),
    ]);
    expect(readAgentOutput(outcome)).toMatchObject({ text: '', data: { body: 'order' } });
  });

  test('may be a flow that asks or a child agent, whose answer is the answer', async () => {
    const { port: flows } = createFlowPort({
      inner: checkedFlow({
        sure: { type: 'ask', prompt: 'Sure?', next: 'done' },
        done: { type: 'end', output: { sure: '{{ nodes.sure }}' } },
      }),
    });
    const flow = agentFlow({ tools: [{ flow: 'inner', name: 'inner', description: 'x', ends: true }] });
    const first = scripted({ flows, model: turns(wants(['inner', { message: 'x' }])) });
    const asked = await run(flow, first, question);
    const second = await resumed(flow, asked, { flows, model: turns() }, { answer: { value: 'yes' } });
    expect(readAgentOutput(second.outcome)).toMatchObject({ data: { sure: 'yes' }, turns: 1 });
    const child = { name: 'clerk', description: 'x', instructions: 'x', ends: true };
    const { outcome, replies } = await runAgent(
      { agents: [child], stream: true },
      { model: turns(wants(['clerk', { message: 'x' }]), says('I am the clerk.')) },
    );
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'I am the clerk.', data: null, turns: 1 });
    expect(replies).toEqual([]);
  });

  test('has ended it also for a run that resumes from the snapshot after it', async () => {
    const flow = agentFlow({ tools: [tool('order', { ends: true })] }, around);
    const recorded = scripted({ http, model: turns(wants(['order', {}])) });
    await run(flow, recorded, question);
    for (const text of recorded.snapshots.slice(1)) {
      const again = await resumed(
        flow,
        { status: 'yielded', snapshot: JSON.parse(text) },
        { http, model: turns() },
      );
      expect(readAgentOutput(again.outcome)).toMatchObject({ data: { body: 'order' } });
    }
  });
});

describe('say', () => {
  test('sends what the model does as a status, or as a message', async () => {
    const { outcome, replies, prompts } = await runAgent(
      { tools: [{ say: {} }, { say: { as: 'message' }, name: 'tell', description: 'Tells.' }] },
      { model: turns(wants(['say', { text: 'Looking …' }], ['tell', { text: 'Found.' }]), says('Done.')) },
    );
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'Done.' });
    expect(replies).toEqual([
      { node_id: 'work', text: 'Looking …', as: 'status' },
      { node_id: 'work', text: 'Found.' },
    ]);
    expect(reportedResults(prompts)).toEqual(['Sent.', 'Sent.']);
  });

  test('sends no text above its limit', async () => {
    const { replies, prompts } = await runAgent(
      { tools: [{ say: {} }] },
      { model: turns(wants(['say', { text: 'x'.repeat(1001) }], ['say', {}]), says('Done.')) },
    );
    expect(replies).toEqual([]);
    expect(reportedResults(prompts)).toMatchObject(
      [/^Error: arguments: /, /^Error: arguments: /].map((each) => expect.stringMatching(each)),
    );
  });
});
