// An agent whose model thinks before it uses a tool that somebody has to approve: over the providers' HTTP
// APIs, with a pause between the turns.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { TextPiece } from '#lib/flow/engine/output.ts';
import { type RunOptions, runFlow } from '#lib/flow/engine/run-flow.ts';
import { createModelPort } from '#lib/model/port.ts';
import { checkedFlow, emptyInput, scripted, startedAt } from '../flow/scripted.ts';
import { bedrock } from './bedrock.ts';
import { noNames } from './loopback.ts';
import { ask, mock, models, moveModelsTo, useMockModels } from './mock-models.ts';

useMockModels();

const thought = 'They will not like to wait.';
const signature = 'c2lnbmVkIGJ5IHRoZSBwcm92aWRlcg==';
const reasoning = { reasoningContent: { reasoningText: { text: thought, signature } } };
const toolUse = { toolUse: { toolUseId: 'call_1', name: 'refund', input: { id: '42' } } };
const parameters = { type: 'object', properties: { id: { type: 'string' } } };

const flowWith = (model: string) =>
  checkedFlow(
    {
      work: {
        type: 'agent',
        instructions: 'Help.',
        input: 'Where is order 42?',
        reasoning: 'low',
        tools: [
          {
            http: { method: 'POST', url: 'https://api.example.com/{{ args.id }}' },
            name: 'refund',
            description: 'Pays back.',
            parameters,
            approval: 'always',
          },
        ],
        next: 'done',
      },
      done: { type: 'end', output: { text: '{{ nodes.work.text }}', work: '{{ nodes.work }}' } },
    },
    { egress: ['api.example.com'], models: { default: { model } } },
  );

/**
 * One invocation, in an engine that knows nothing but the snapshot; `shown` is all that anybody sees of it.
 */
async function invoke(model: string, provider: string, options: Partial<RunOptions> = {}) {
  const recorded = scripted();
  const pieces: TextPiece[] = [];
  const outcome = await runFlow(compileFlow(flowWith(model)), {
    runId: 'run-1',
    input: emptyInput,
    startedAt,
    signal: new AbortController().signal,
    ports: {
      ...recorded.ports,
      text: (piece) => pieces.push(piece),
      model: createModelPort({
        models: models(),
        defaultModel: 'compatible',
        fetch: createGuardedFetch({ allowPrivate: [new URL(provider).host] }, noNames),
      }),
    },
    ...options,
  });
  const { entries, replies, requests } = recorded;
  const { snapshot, ...seen } = { snapshot: undefined, ...outcome };
  return {
    outcome,
    snapshot: JSON.stringify(snapshot),
    shown: JSON.stringify({ seen, entries, replies, requests, pieces }),
  };
}

/** What the second turn was asked with, after the tool was approved in another process. */
async function secondTurn(
  model: string,
  provider: string,
  bodies: () => readonly unknown[],
): Promise<unknown> {
  const first = await invoke(model, provider);
  expect(first.outcome.status).toBe('input_required');
  const snapshot = JSON.parse(first.snapshot);
  const second = await invoke(model, provider, { snapshot, answer: { value: 'approve' } });
  expect(second.outcome).toMatchObject({ status: 'completed', response: { text: 'Paid back.' } });
  for (const { shown } of [first, second]) {
    expect(shown).not.toContain(thought);
    expect(shown).not.toContain(signature);
  }
  expect(bodies()).toHaveLength(2);
  return bodies()[1];
}

const thinkingIn = z.object({
  additionalModelRequestFields: z.object({
    thinking: z.object({ type: z.literal('enabled'), budget_tokens: z.number() }),
  }),
});

test('Bedrock gets its reasoning back with its signature, and no other party sees it', async () => {
  const content = [reasoning, { text: 'Let me see.' }, toolUse];
  await using server = await bedrock(content, [{ text: 'Paid back.' }]);
  moveModelsTo(server.url);
  expect(await secondTurn('claude', server.url, () => server.asked)).toMatchObject({
    additionalModelRequestFields: { thinking: { type: 'enabled' } },
    messages: [
      { role: 'user' },
      { role: 'assistant', content },
      { role: 'user', content: [{ toolResult: { toolUseId: 'call_1' } }] },
    ],
  });
});

test('an OpenAI-compatible model gets its reasoning_content back, and no other party sees it', async () => {
  const call = { id: 'call_1', name: 'refund', arguments: '{"id":"42"}' };
  mock.onToolResult('call_1', { content: 'Paid back.' });
  mock.onMessage('Where', { toolCalls: [call], reasoning: thought });
  const bodies = (): readonly unknown[] => mock.getRequests().map(({ body }) => body);
  expect(await secondTurn('compatible', mock.url, bodies)).toMatchObject({
    reasoning_effort: 'low',
    messages: [
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant', reasoning_content: thought, tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1' },
    ],
  });
});

test('the reasoning budget of a Bedrock model grows with `reasoning`, and is absent by default', async () => {
  await using server = await bedrock();
  moveModelsTo(server.url);
  for (const reasoning of ['low', 'medium', 'high'] as const) await ask('claude', 'Why?', { reasoning });
  await ask('claude', 'Why?');
  const budgets = server.asked.map((body) => thinkingIn.safeParse(body).data?.additionalModelRequestFields);
  const [low = 0, medium = 0, high = 0, none] = budgets.map((fields) => fields?.thinking.budget_tokens);
  expect(low).toBeGreaterThan(0);
  expect(medium).toBeGreaterThan(low);
  expect(high).toBeGreaterThan(medium);
  expect(none).toBeUndefined();
});
