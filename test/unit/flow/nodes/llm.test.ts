// The node type `llm`.
import { expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import { modelAnswer, runNodes } from '../scripted.ts';

const models = {
  default: { model: 'standard', temperature: 0.5, max_tokens: 50, reasoning: 'low', fallback: 'small' },
  small: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0', fallback: 'default' },
};
const input = { message: 'Hello', user_variables: {} };

test('asks the tenant default when the flow declares no models', async () => {
  const { prompts, outcome } = await runNodes(
    { a: { type: 'llm', prompt: 'Say: {{ input.message }}', system: 'Be {{ "kind" }}' } },
    { model: () => modelAnswer('Hi') },
    { options: { input } },
  );
  expect(prompts).toEqual([
    { model: {}, system: 'Be kind', messages: [{ role: 'user', content: 'Say: Hello' }] },
  ]);
  expect(outcome.status).toBe('completed');
});

test('asks the model called default when the flow declares one, with its settings below those of the node', async () => {
  const { prompts } = await runNodes(
    { a: { type: 'llm', prompt: 'x', temperature: 0 } },
    {},
    { flow: { models } },
  );
  expect(prompts).toMatchObject([
    { model: { model: 'standard' }, temperature: 0, max_tokens: 50, reasoning: 'low' },
  ]);
});

test('sends messages in order', async () => {
  const messages = [
    { role: 'user', content: '{{ input.message }}' },
    { role: 'assistant', content: 'Yes?' },
  ];
  const { prompts } = await runNodes({ a: { type: 'llm', messages } }, {}, { options: { input } });
  expect(prompts[0]?.messages).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Yes?' },
  ]);
});

test('tries each declared fallback once, in order', async () => {
  const failing = ({ model }: ModelRequest) => {
    throw new NodeError('model.rate_limited', `${model.model} is busy.`);
  };
  const { prompts, outcome, entries } = await runNodes(
    { a: { type: 'llm', prompt: 'x' } },
    { model: failing },
    { flow: { models } },
  );
  expect(prompts.map(({ model }) => model.model)).toEqual(['standard', 'amazon.nova-lite-v1:0']);
  expect(outcome).toMatchObject({
    error: { code: 'model.rate_limited', message: 'amazon.nova-lite-v1:0 is busy.' },
  });
  expect(entries.filter(({ event }) => event === 'retry')).toHaveLength(1);
});

const output_schema = {
  type: 'object',
  properties: { kind: { enum: ['a', 'b'] } },
  required: ['kind'],
  additionalProperties: false,
};

test('an answer that fits the schema is the output', async () => {
  const { prompts, outcome } = await runNodes(
    {
      a: { type: 'llm', prompt: 'x', output_schema, next: 'b' },
      b: { type: 'end', output: '{{ nodes.a }}' },
    },
    { model: () => modelAnswer({ kind: 'a' }) },
  );
  expect(prompts[0]?.output_schema).toEqual(output_schema);
  expect(outcome).toEqual({ status: 'completed', response: { kind: 'a' } });
});

test.each([[{ kind: 'c' }], [{}], ['a'], [{ kind: 'a', more: 1 }]])(
  'the answer %j does not fit the schema',
  async (answer) => {
    const { outcome } = await runNodes(
      { a: { type: 'llm', prompt: 'x', output_schema } },
      { model: () => modelAnswer(answer) },
    );
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'model.invalid_output' } });
  },
);

test('logs the tokens of all its calls', async () => {
  const { entries } = await runNodes(
    { a: { type: 'llm', prompt: 'x' } },
    { model: () => modelAnswer('Hi', 7) },
  );
  expect(entries.find(({ event }) => event === 'completed')).toMatchObject({
    tokens: { input: 7, output: 7 },
    message: 'llm "a" completed: demo/scripted: Hi',
  });
});
