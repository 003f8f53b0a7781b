// Guardrails of Amazon Bedrock over its HTTP API: they are requested for models that have one, and what they block is an
// error that no other model and no blind retry gets around.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { type ScriptedTurn, startModelServer } from '#test/support/model-server.ts';
import { runOver } from './model-flow.ts';

afterEach(() => vi.unstubAllEnvs());

const nodesWith = (more: object = {}) => ({
  a: { type: 'llm', prompt: 'Say it.', ...more, next: 'done' },
  done: { type: 'end', output: { answer: '{{ nodes.a }}' } },
  ...('catch' in more && { caught: { type: 'end', output: { error: '{{ nodes.a.error }}' } } }),
});

const traced = (...actions: readonly string[]): JsonObject => ({
  guardrail: {
    actionReason: 'Guardrail masked.',
    outputAssessments: {
      abc123: [
        {
          sensitiveInformationPolicy: {
            piiEntities: actions.map((action) => ({ type: 'EMAIL', match: 'ann@example.com', action })),
          },
        },
      ],
    },
  },
});

const intervened = (trace?: JsonObject): ScriptedTurn => ({
  text: 'Sorry, the model cannot answer this question.',
  stopReason: 'guardrail_intervened',
  ...(trace && { trace }),
});

describe.each([false, true])('a guardrail of Bedrock (stream: %s)', (stream) => {
  const caught = { stream, catch: [{ on: ['guardrail.intervened'], next: 'caught' }] };

  test('is sent with each request to a model that has one', async () => {
    await using server = await startModelServer({ text: 'Hello.' });
    const { outcome } = await runOver(nodesWith(caught), { model: 'guarded', server });
    expect(outcome).toMatchObject({ status: 'completed', response: { answer: 'Hello.' } });
    expect(server.asked[0]?.guardrailConfig).toEqual({
      guardrailIdentifier: 'abc123',
      guardrailVersion: '3',
      trace: 'enabled',
      // Whoever watches the run gets the text of every node while the model writes it.
      streamProcessingMode: 'sync',
    });
  });

  test('is not sent to a model that has none', async () => {
    await using server = await startModelServer({ text: 'Hello.' });
    await runOver(nodesWith(caught), { model: 'nova', server });
    expect(server.asked[0]).not.toHaveProperty('guardrailConfig');
  });

  test.each([
    ['without a trace', intervened()],
    ['that blocked', intervened(traced('BLOCKED'))],
    ['that blocked one thing and masked another', intervened(traced('ANONYMIZED', 'BLOCKED'))],
  ])('%s fails the node with guardrail.intervened, at the cost of its tokens', async (_what, turn) => {
    await using server = await startModelServer(turn, turn);
    const { outcome, entries } = await runOver(nodesWith(caught), { model: 'guarded', server });
    expect(outcome).toEqual({
      status: 'completed',
      response: {
        error: {
          code: 'guardrail.intervened',
          message: 'The guardrail of bedrock/amazon.nova-pro-v1:0 blocked the request or the answer.',
        },
      },
    });
    expect(JSON.stringify(entries)).not.toContain('ann@example.com');
    const flow = { limits: { max_tokens: 23 } };
    const over = await runOver(nodesWith(caught), { model: 'guarded', server, flow });
    expect(over.outcome).toMatchObject({ status: 'failed', error: { code: 'limit.tokens' } });
  });

  test('that only masked a part of the answer gives the masked text', async () => {
    await using server = await startModelServer({
      ...intervened(traced('ANONYMIZED', 'NONE')),
      text: 'Write to {EMAIL}.',
    });
    const { outcome, entries } = await runOver(nodesWith(caught), { model: 'guarded', server });
    expect(outcome).toMatchObject({ status: 'completed', response: { answer: 'Write to {EMAIL}.' } });
    expect(JSON.stringify(entries)).not.toContain('ann@example.com');
  });
});

test('a request for an object, which is not streamed, names the guardrail too', async () => {
  await using server = await startModelServer({ text: '{"kind":"refund"}' });
  const output_schema = { type: 'object', properties: { kind: { type: 'string' } } };
  await runOver(nodesWith({ output_schema }), { model: 'guarded', server });
  expect(server.asked[0]?.guardrailConfig).toEqual({
    guardrailIdentifier: 'abc123',
    guardrailVersion: '3',
    trace: 'enabled',
  });
});

const fallback = { models: { default: { model: 'guarded', fallback: 'other' }, other: { model: 'nova' } } };
const twice = (...on: readonly string[]) => ({ retry: { max_attempts: 2, delay_ms: 0, on } });

test.each([
  ['the fallback of the model', {}, fallback],
  ['a retry on *', twice('*'), {}],
  ['a retry on model.*', twice('model.*'), {}],
])('what a guardrail blocked is not asked again by %s', async (_what, node, flow) => {
  await using server = await startModelServer(intervened(), { text: 'The secret.' });
  const { outcome } = await runOver(nodesWith(node), { model: 'guarded', server, flow });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'guardrail.intervened' } });
  expect(server.asked).toHaveLength(1);
});

test.each(['guardrail.intervened', 'guardrail.*'])('it is asked again by a retry on %s', async (on) => {
  await using server = await startModelServer(intervened(), { text: 'Something else.' });
  const { outcome } = await runOver(nodesWith(twice(on)), { model: 'guarded', server });
  expect(outcome).toMatchObject({ status: 'completed', response: { answer: 'Something else.' } });
});
