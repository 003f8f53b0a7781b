// `ask_user`: the model asks the caller of the run, which pauses as at an `ask` node.
import { describe, expect, test } from 'vitest';
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { ModelAnswer } from '#lib/flow/ports/model.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { checkedFlow, run, scripted } from '../scripted.ts';
import {
  agentFlow,
  question,
  readAgentOutput,
  reportedResults,
  resumed,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const flowWith = (own: JsonObject = {}, some: JsonObject = {}) =>
  agentFlow({ tools: [{ ask_user: own, ...some }] });

const asks = (text: string, some: JsonObject = {}) => ['ask_user', { question: text, ...some }] as const;

async function askedBy(flow: ReturnType<typeof flowWith>, ...calls: readonly (readonly [string, Json])[]) {
  const recorded = scripted({ model: turns(wants(...calls)) });
  return { outcome: await run(flow, recorded, question), ...recorded };
}

const answer = (
  flow: ReturnType<typeof flowWith>,
  outcome: Outcome,
  value: Json,
  ...next: readonly ModelAnswer[]
) => resumed(flow, outcome, { model: turns(...next) }, { answer: { value } });

test('pauses the run with the question, and the answer is the result of the tool', async () => {
  const flow = flowWith();
  const { outcome, prompts } = await askedBy(flow, asks('Which order?'));
  expect(prompts[0]?.tools).toMatchObject([
    { name: 'ask_user', parameters: { properties: { question: {}, choices: {} } } },
  ]);
  expect(outcome).toMatchObject({ status: 'input_required' });
  expect('requests' in outcome && outcome.requests).toEqual([
    { id: 'work.1', node_id: 'work', purpose: 'ask', prompt: 'Which order?' },
  ]);
  const second = await answer(flow, outcome, 'number 7', says('Order 7 it is.'));
  expect(reportedResults(second.prompts)).toEqual(['number 7']);
  expect(readAgentOutput(second.outcome)).toMatchObject({ text: 'Order 7 it is.', turns: 2 });
});

test('offers what the model proposes, and takes nothing else', async () => {
  const flow = flowWith();
  const { outcome } = await askedBy(flow, asks('Which?', { choices: ['red', 'blue'] }));
  expect(outcome).toMatchObject({ requests: [{ choices: ['red', 'blue'] }] });
  const wrong = await answer(flow, outcome, 'green');
  expect(wrong.outcome).toMatchObject({ status: 'refused', error: { code: 'answer.invalid' } });
});

test('takes the choices or the schema of the flow, and none of the model', async () => {
  const fixed = flowWith({ choices: ['yes', 'no'] }, { name: 'confirm', description: 'Confirms.' });
  const { outcome, prompts } = await askedBy(fixed, ['confirm', { question: 'Sure?' }]);
  expect(prompts[0]?.tools).toMatchObject([{ name: 'confirm', description: 'Confirms.' }]);
  expect(outcome).toMatchObject({ requests: [{ choices: ['yes', 'no'] }] });
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const typed = flowWith({ schema });
  const asked = await askedBy(typed, asks('How many?'));
  expect(asked.outcome).toMatchObject({ requests: [{ schema }] });
  expect((await answer(typed, asked.outcome, { n: 'x' })).outcome).toMatchObject({ status: 'refused' });
  const second = await answer(typed, asked.outcome, { n: 3 }, says('Three.'));
  expect(reportedResults(second.prompts)).toEqual(['{"n":3}']);
  const proposed = scripted({
    model: turns(wants(asks('How many?', { choices: ['1', '2'] })), says('Sorry.')),
  });
  expect(await run(typed, proposed, question)).toMatchObject({ status: 'completed' });
  expect(reportedResults(proposed.prompts)).toEqual([expect.stringContaining('unknown property "choices"')]);
});

test('is limited in one conversation, also beside each other; a further question is not asked', async () => {
  const flow = flowWith({ max_questions: 2 });
  let { outcome } = await askedBy(flow, asks('One?'), asks('Two?'), asks('Three?'));
  const prompts: string[] = [];
  for (const value of ['1', '2']) {
    if (outcome.status !== 'input_required') throw new Error(JSON.stringify(outcome));
    prompts.push(...outcome.requests.map(({ prompt }) => prompt));
    const second = await answer(flow, outcome, value, wants(asks('Four?')), says('Done.'));
    outcome = second.outcome;
    if (value !== '2') continue;
    expect(second.prompts[0]?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))).toEqual([
      '1',
      '2',
      'Error: at most 2 questions in one conversation: continue without the answer',
    ]);
    expect(reportedResults(second.prompts).at(-1)).toMatch(/^Error: at most 2 questions/);
  }
  expect(prompts).toEqual(['One?', 'Two?']);
  expect(outcome.status).toBe('completed');
});

describe('works', () => {
  const agent = { type: 'agent', instructions: 'Be brief.', tools: [{ ask_user: {} }] };

  test('in a child agent, with a count of its own', async () => {
    const child = { name: 'clerk', description: 'x', instructions: 'x', tools: [{ ask_user: {} }] };
    const flow = agentFlow({ agents: [child] });
    const recorded = scripted({
      model: turns(wants(['clerk', { message: 'Ask.' }]), wants(asks('Which order?'))),
    });
    const outcome = await run(flow, recorded, question);
    expect(outcome).toMatchObject({ requests: [{ id: 'work.1', purpose: 'ask', prompt: 'Which order?' }] });
    const second = await answer(flow, outcome, '7', says('Order 7.'), says('Done.'));
    expect(reportedResults(second.prompts)).toEqual(['Order 7.']);
  });

  test('in branches and items, each with its own question', async () => {
    const body = { start: 'one', nodes: { one: { ...agent, input: '{{ item }}' } } };
    const flow = checkedFlow({
      both: {
        type: 'parallel',
        branches: {
          left: { start: 'each', nodes: { each: { type: 'map', items: ['a', 'b'], body } } },
          right: { start: 'alone', nodes: { alone: { ...agent, input: 'c' } } },
        },
        next: 'done',
      },
      done: { type: 'end', output: { both: '{{ nodes.both }}' } },
    });
    const model = ({ messages }: { readonly messages: readonly { readonly content: string }[] }) =>
      messages.length === 1
        ? wants(asks(`What of ${messages[0]?.content}?`))
        : says(messages.at(-1)?.content ?? '');
    let outcome = await run(flow, scripted({ model }), question);
    const asked: string[] = [];
    while (outcome.status === 'input_required') {
      const request = outcome.requests.at(-1);
      asked.push(request?.prompt ?? '');
      const id = request?.id ?? '';
      const second = await resumed(flow, outcome, { model }, { answer: { id, value: `re ${id}` } });
      outcome = second.outcome;
    }
    expect(asked.sort()).toEqual(['What of a?', 'What of b?', 'What of c?']);
    expect(outcome).toMatchObject({
      response: {
        both: {
          left: [{ text: 're both.1.left.each.1.0.one.1' }, { text: 're both.1.left.each.1.1.one.1' }],
          right: { text: 're both.1.right.alone.1' },
        },
      },
    });
  });
});
