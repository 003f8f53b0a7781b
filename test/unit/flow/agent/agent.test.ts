// The node type `agent`: its turns, what it keeps and answers. Its tools are in `agent-tools.test.ts`,
// approvals in `agent-approval.test.ts`.
import { describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { httpAnswer, quiet, run, scripted } from '../scripted.ts';
import {
  agentFlow,
  question,
  readAgentOutput,
  reportedResults,
  resumed,
  runAgent,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const look = {
  http: { url: 'https://api.example.com/{{ args.what }}' },
  name: 'look',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
};
const egress = { egress: ['api.example.com'] };

test('answers with the text of the model when it wants no tools', async () => {
  const { outcome, prompts } = await runAgent({}, { model: turns(says('Fine.')) });
  expect(prompts).toEqual([
    { model: {}, system: 'Be brief.', messages: [{ role: 'user', content: 'How are you?' }] },
  ]);
  expect(readAgentOutput(outcome)).toEqual({
    text: 'Fine.',
    data: null,
    captured: {},
    turns: 1,
    finish_reason: null,
  });
});

test('takes turns until the model answers: results of tools go back in the role of tools, in the order of the calls', async () => {
  const { outcome, prompts, entries } = await runAgent(
    { tools: [look] },
    {
      model: turns(wants(['look', { what: 'a' }], ['look', { what: 'b' }]), says('Both.')),
      http: async ({ url }) => httpAnswer(200, url.slice(-1)),
    },
    egress,
  );
  expect(prompts[1]?.messages).toEqual([
    { role: 'user', content: 'How are you?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'call-0', name: 'look', arguments: { what: 'a' } },
        { id: 'call-1', name: 'look', arguments: { what: 'b' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call-0', name: 'look', content: '{"status":200,"body":"a"}' },
    { role: 'tool', tool_call_id: 'call-1', name: 'look', content: '{"status":200,"body":"b"}' },
  ]);
  expect(readAgentOutput(outcome)).toMatchObject({ text: 'Both.', turns: 2 });
  expect(entries.filter(({ event }) => event === 'turn' || event === 'tool')).toMatchObject([
    { message: 'turn 1 of 8 (demo/scripted): wants look, look', tokens: { input: 10, output: 10 } },
    { message: expect.stringContaining('look completed') },
    { message: expect.stringContaining('look completed') },
    { message: 'turn 2 of 8 (demo/scripted): answers', tokens: { input: 10, output: 10 } },
  ]);
});

test('each token is logged once, with its turn', async () => {
  const { entries } = await runAgent({}, { model: turns(says('Fine.')) });
  expect(entries.filter(({ tokens }) => tokens).map(({ event }) => event)).toEqual(['turn']);
});

test('its input, instructions and model are those of the flow', async () => {
  const { prompts } = await runAgent(
    {
      instructions: 'For {{ env.shop }}',
      input: 'Ask {{ input.message }}',
      model: 'fast',
      temperature: 0,
      reasoning: 'high',
    },
    { model: turns(says('x')) },
    { models: { fast: { model: 'small', max_tokens: 9 } } },
  );
  expect(prompts).toMatchObject([
    {
      system: 'For ',
      model: { model: 'small' },
      temperature: 0,
      reasoning: 'high',
      max_tokens: 9,
      messages: [{ content: 'Ask How are you?' }],
    },
  ]);
});

test('tries the fallback model within a turn', async () => {
  const { outcome, prompts } = await runAgent(
    {},
    {
      model: ({ model }) => {
        if (model.model === 'big') throw new NodeError('model.rate_limited', 'Busy.');
        return says('Small.');
      },
    },
    { models: { default: { model: 'big', fallback: 'little' }, little: { model: 'little' } } },
  );
  expect(prompts.map(({ model }) => model.model)).toEqual(['big', 'little']);
  expect(readAgentOutput(outcome)).toMatchObject({ text: 'Small.', turns: 1 });
});

describe('output_schema', () => {
  const output_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  test('makes the answer an object under `data`', async () => {
    const { outcome, prompts } = await runAgent({ output_schema }, { model: turns(says({ n: 1 })) });
    expect(prompts[0]?.output_schema).toEqual(output_schema);
    expect(readAgentOutput(outcome)).toEqual({
      text: '',
      data: { n: 1 },
      captured: {},
      turns: 1,
      finish_reason: null,
    });
  });

  test('refuses an answer that does not fit even after its correction, and a retry continues the conversation so far', async () => {
    const answers = [wants(['look', { what: 'a' }]), says({ n: 'one' }), says({ n: 'one' }), says({ n: 1 })];
    const tools = [look];
    const once = await runAgent({ output_schema, tools }, { model: turns(...answers) }, egress);
    expect(once.outcome).toMatchObject({ error: { code: 'model.invalid_output' } });
    const retry = { max_attempts: 2, delay_ms: 0, on: ['model.invalid_output'] };
    const recorded = scripted({ model: turns(...answers) });
    const running = run(agentFlow({ output_schema, tools, retry }, egress), recorded, question);
    while (!recorded.clock.sleeping().includes(0)) await quiet();
    recorded.clock.pass(1);
    expect(readAgentOutput(await running)).toMatchObject({ data: { n: 1 } });
    expect(recorded.requests).toHaveLength(1);
  });
});

describe('capture', () => {
  const capture = {
    order_id: { description: 'The number of the order.', schema: { type: 'string', pattern: '^\\d+$' } },
    urgent: { description: 'Whether it is urgent.', schema: { type: 'boolean' } },
  };

  test('puts values that the model hands over into the state and the output', async () => {
    const { outcome, prompts } = await runAgent(
      { capture },
      {
        model: turns(
          wants(['capture', { order_id: '17' }]),
          wants(['capture', { urgent: true }]),
          says('ok'),
        ),
      },
    );
    expect(prompts[0]?.tools).toMatchObject([{ name: 'capture' }]);
    expect(outcome).toMatchObject({
      response: {
        work: { captured: { order_id: '17', urgent: true } },
        state: { order_id: '17', urgent: true },
      },
    });
  });

  test('stores nothing that does not fit or was not asked for, and reports it to the model', async () => {
    const { outcome, prompts } = await runAgent(
      { capture },
      { model: turns(wants(['capture', { order_id: 'x' }], ['capture', { role: 'admin' }]), says('ok')) },
    );
    expect(reportedResults(prompts)).toEqual([
      expect.stringContaining('/order_id: expected text that matches'),
      expect.stringContaining('unknown property "role"'),
    ]);
    expect(outcome).toMatchObject({ response: { state: {}, work: { captured: {} } } });
  });
});

describe('child agents', () => {
  const agents = [
    {
      name: 'researcher',
      description: 'Finds facts.',
      instructions: 'Research.',
      tools: [look],
      max_turns: 2,
    },
  ];

  test('work in a conversation of their own, with their own tools, and give their answer back', async () => {
    const { outcome, prompts, entries } = await runAgent(
      { agents },
      {
        model: turns(
          wants(['researcher', { message: 'Find a.' }]),
          wants(['look', { what: 'a' }]),
          says('Found a.'),
          says('It is a.'),
        ),
      },
      egress,
    );
    expect(prompts[0]?.tools?.map(({ name }) => name)).toEqual(['researcher']);
    expect(prompts[1]).toMatchObject({
      system: 'Research.',
      messages: [{ role: 'user', content: 'Find a.' }],
      tools: [{ name: 'look' }],
    });
    expect(reportedResults(prompts)).toEqual(['Found a.']);
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'It is a.', turns: 2 });
    expect(entries.map(({ message }) => message)).toContain(
      'researcher: turn 1 of 2 (demo/scripted): wants look',
    );
  });

  test('that come to no answer are a result like any other', async () => {
    const wantsLook = wants(['look', { what: 'a' }]);
    const { outcome, prompts } = await runAgent(
      { agents },
      { model: turns(wants(['researcher', { message: 'x' }]), wantsLook, wantsLook, says('Nothing found.')) },
      egress,
    );
    expect(reportedResults(prompts)).toEqual([
      'Error: agent.max_turns: researcher: no answer after 2 turns.',
    ]);
    expect(readAgentOutput(outcome)).toMatchObject({ text: 'Nothing found.' });
  });
});

describe('bounds', () => {
  test('max_turns ends a conversation without an answer, and may be caught', async () => {
    const { outcome } = await runAgent(
      { tools: [look], max_turns: 2 },
      { model: () => wants(['look', { what: 'a' }]) },
      egress,
    );
    expect(outcome).toMatchObject({ error: { code: 'agent.max_turns', node_id: 'work' } });
  });

  test.each([
    ['max_model_calls', 'limit.model_calls', 3],
    ['max_tokens', 'limit.tokens', 60],
  ])('%s of the run counts all turns, also those of child agents', async (name, code, max) => {
    const agents = [{ name: 'child', description: 'Helps.', instructions: 'Help.' }];
    const { outcome, prompts } = await runAgent(
      { agents },
      { model: ({ system }) => (system === 'Help.' ? says('yes') : wants(['child', { message: 'x' }])) },
      { limits: { [name]: max } },
    );
    expect(outcome).toMatchObject({ error: { code } });
    expect(prompts.length).toBeLessThan(5);
  });

  test('yields between two turns, and the next invocation repeats none', async () => {
    const agent = { tools: [look] };
    const recorded = scripted({ model: turns(wants(['look', { what: 'a' }])) });
    const yieldAt = recorded.clock.monotonic() + 10;
    const http = async () => {
      recorded.clock.pass(20);
      return httpAnswer(200, 1);
    };
    const yielded = await run(
      agentFlow(agent, egress),
      { ...recorded, ports: { ...recorded.ports, http } },
      { yieldAt },
    );
    expect(yielded.status).toBe('yielded');
    const second = await resumed(agentFlow(agent, egress), yielded, { model: turns(says('Done.')) });
    expect(readAgentOutput(second.outcome)).toMatchObject({ text: 'Done.', turns: 2 });
    expect(second.requests).toEqual([]);
  });
});
