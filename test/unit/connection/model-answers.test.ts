// What a node makes of the answer of a model, over the real model port and the HTTP APIs of the providers: answers of the
// wrong form are corrected once, and answers that are cut off are reported.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ScriptedTurn, startModelServer } from '#test/support/model-server.ts';
import { modelIds, runOver } from './model-flow.ts';

afterEach(() => vi.unstubAllEnvs());

const output_schema = {
  type: 'object',
  properties: { kind: { enum: ['refund', 'other'] } },
  required: ['kind'],
};
const classify = { type: 'llm', prompt: 'Classify.', output_schema };
const caught = { catch: [{ on: ['model.invalid_output'], next: 'caught' }] };
const nodesWith = (node: object) => ({
  a: { ...node, next: 'done' },
  done: { type: 'end', output: { answer: '{{ nodes.a }}' } },
  ...('catch' in node && { caught: { type: 'end', output: { code: '{{ nodes.a.error.code }}' } } }),
});

const wrong = { text: '{"kind":"dragon"}' };
const right = { text: '{"kind":"refund"}' };

describe.each(modelIds)('the model "%s"', (model) => {
  test('corrects an answer that does not match the schema once, and both answers cost tokens', async () => {
    await using server = await startModelServer(wrong, right);
    const { outcome, entries } = await runOver(nodesWith(classify), { model, server });
    expect(outcome).toEqual({ status: 'completed', response: { answer: { kind: 'refund' } } });
    const [first, second] = server.asked.map(({ messages }) => JSON.stringify(messages));
    expect(second).toContain('dragon');
    expect(second).toContain('/kind');
    expect(first).not.toContain('dragon');
    expect(entries.find(({ event }) => event === 'completed')?.tokens).toEqual({ input: 40, output: 8 });
    expect(entries.filter(({ event }) => event === 'retry')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('The model is asked to correct it.') },
    ]);
  });

  test('fails with model.invalid_output when its correction is wrong too, which a catch receives', async () => {
    await using server = await startModelServer(wrong, { text: 'A refund, I think.' });
    const { outcome } = await runOver(nodesWith({ ...classify, ...caught }), { model, server });
    expect(outcome).toEqual({ status: 'completed', response: { code: 'model.invalid_output' } });
    expect(server.asked).toHaveLength(2);
  });

  test('is asked again by a retry on model.invalid_output', async () => {
    await using server = await startModelServer(wrong, wrong, right);
    const retry = { max_attempts: 2, delay_ms: 0, on: ['model.invalid_output'] };
    const { outcome } = await runOver(nodesWith({ ...classify, retry }), { model, server });
    expect(outcome).toMatchObject({ response: { answer: { kind: 'refund' } } });
  });

  test.each([
    ['```json\n{"kind":"refund"}\n```'],
    ['```\n{"kind":"refund"}\n```'],
    ['Here it is:\n\n```json\n{"kind":"refund"}\n```\nAnything else?'],
    ['  {"kind":"refund"}\n'],
  ])('answers with an object as %j', async (text) => {
    await using server = await startModelServer({ text });
    const { outcome } = await runOver(nodesWith(classify), { model, server });
    expect(outcome).toMatchObject({ response: { answer: { kind: 'refund' } } });
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ['no JSON in its fence', '```json\nA refund.\n```'],
    ['two fences', '```json\n{"kind":"refund"}\n```\nor\n```json\n{"kind":"other"}\n```'],
    ['an open fence', '```json\n{"kind":"refund"}'],
    ['nothing', ''],
  ])('is asked to correct an answer with %s', async (_what, text) => {
    await using server = await startModelServer({ text }, right);
    const { outcome } = await runOver(nodesWith(classify), { model, server });
    expect(outcome).toMatchObject({ response: { answer: { kind: 'refund' } } });
    expect(JSON.stringify(server.asked[1])).toContain('it is not JSON');
  });

  test('whose object is cut off is not asked to correct it', async () => {
    await using server = await startModelServer({ text: '{"kind":"ref', isCut: true });
    const { outcome } = await runOver(nodesWith(classify), { model, server });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'model.cut' } });
    expect(server.asked).toHaveLength(1);
  });

  const story: ScriptedTurn = { text: 'Once upon a time', isCut: true };
  const tell = { type: 'llm', prompt: 'Tell.', max_tokens: 4 };

  test.each([true, false])(
    'whose text is cut off continues by default, and the log shows it (stream: %s)',
    async (stream) => {
      await using server = await startModelServer(story);
      const { outcome, entries } = await runOver(nodesWith({ ...tell, stream }), { model, server });
      expect(outcome).toMatchObject({ status: 'completed', response: { answer: 'Once upon a time' } });
      expect(entries.find(({ event }) => event === 'completed')).toMatchObject({ finish_reason: 'length' });
    },
  );

  test.each([true, false])(
    'whose text is cut off fails with on_cut: fail, at the cost of its tokens (stream: %s)',
    async (stream) => {
      await using server = await startModelServer(story);
      const node = { ...tell, stream, on_cut: 'fail', catch: [{ on: ['model.cut'], next: 'caught' }] };
      const { outcome } = await runOver(nodesWith(node), {
        model,
        server,
        flow: { limits: { max_tokens: 24 } },
      });
      expect(outcome).toMatchObject({ status: 'completed', response: { code: 'model.cut' } });
      await using strict = await startModelServer(story);
      const over = await runOver(nodesWith(node), {
        model,
        server: strict,
        flow: { limits: { max_tokens: 23 } },
      });
      expect(over.outcome).toMatchObject({ error: { code: 'limit.tokens' } });
    },
  );

  test('that finishes by itself passes on_cut: fail', async () => {
    await using server = await startModelServer({ text: 'The end.' });
    const { outcome, entries } = await runOver(nodesWith({ ...tell, on_cut: 'fail' }), { model, server });
    expect(outcome).toMatchObject({ status: 'completed', response: { answer: 'The end.' } });
    expect(entries.find(({ event }) => event === 'completed')).toMatchObject({ finish_reason: 'stop' });
  });
});

test('a text that reaches the end of the context of Claude counts as cut off', async () => {
  await using server = await startModelServer({ text: 'Once', stopReason: 'model_context_window_exceeded' });
  const node = { type: 'llm', prompt: 'Tell.', on_cut: 'fail' };
  const { outcome } = await runOver(nodesWith(node), { model: 'claude', server });
  expect(outcome).toMatchObject({ error: { code: 'model.cut' } });
});

test('a fallback model is asked when the correction fails, and when the answer is cut off', async () => {
  const models = { default: { model: 'compatible', fallback: 'spare' }, spare: { model: 'nova' } };
  await using server = await startModelServer(wrong, wrong, right);
  const { outcome } = await runOver(nodesWith(classify), { model: '', server, flow: { models } });
  expect(outcome).toMatchObject({ response: { answer: { kind: 'refund' } } });
  await using cutting = await startModelServer({ text: 'Once', isCut: true }, { text: 'The end.' });
  const node = { type: 'llm', prompt: 'Tell.', on_cut: 'fail' };
  const told = await runOver(nodesWith(node), { model: '', server: cutting, flow: { models } });
  expect(told.outcome).toMatchObject({ response: { answer: 'The end.' } });
});

test.each([
  ['model calls', { max_model_calls: 1 }],
  ['tokens', { max_tokens: 24 }],
])('a run that has no %s left for a correction fails with model.invalid_output', async (_what, limits) => {
  await using server = await startModelServer(wrong);
  const node = { ...classify, ...caught };
  const { outcome } = await runOver(nodesWith(node), { model: 'compatible', server, flow: { limits } });
  expect(outcome).toMatchObject({ status: 'completed', response: { code: 'model.invalid_output' } });
});

describe('an agent', () => {
  const agent = { type: 'agent', instructions: 'Help.', input: 'Classify.' };

  test('corrects its answer in a turn of its own', async () => {
    await using server = await startModelServer(wrong, right);
    const { outcome, entries } = await runOver(nodesWith({ ...agent, output_schema }), {
      model: 'compatible',
      server,
    });
    expect(outcome).toMatchObject({
      response: { answer: { data: { kind: 'refund' }, turns: 2, finish_reason: 'stop' } },
    });
    expect(entries.filter(({ event }) => event === 'turn')).toMatchObject([
      {
        message: expect.stringContaining('turn 2 of 8'),
        tokens: { input: 40, output: 8 },
        finish_reason: 'stop',
      },
    ]);
    expect(entries.find(({ event }) => event === 'completed')).not.toHaveProperty('finish_reason');
  });

  test('has no correction beyond its turns', async () => {
    await using server = await startModelServer(wrong);
    const node = { ...agent, output_schema, max_turns: 1, ...caught };
    const { outcome } = await runOver(nodesWith(node), { model: 'compatible', server });
    expect(outcome).toMatchObject({ response: { code: 'model.invalid_output' } });
  });

  test('says that its text was cut off, or fails', async () => {
    const cut: ScriptedTurn = { text: 'Once', isCut: true };
    await using server = await startModelServer(cut, cut);
    const told = await runOver(nodesWith(agent), { model: 'nova', server });
    expect(told.outcome).toMatchObject({ response: { answer: { text: 'Once', finish_reason: 'length' } } });
    const strict = await runOver(nodesWith({ ...agent, on_cut: 'fail' }), { model: 'nova', server });
    expect(strict.outcome).toMatchObject({ error: { code: 'model.cut' } });
  });
});
