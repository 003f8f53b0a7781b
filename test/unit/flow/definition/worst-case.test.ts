// The most that a run can take, as the manifest says it before there is a run: exact where a way can be
// counted, and never less than what runs take.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { buildManifest } from '#lib/flow/definition/manifest.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { seed } from '#test/support/seed.ts';
import { driven } from '../driven.ts';
import { scriptWith, structuredFlow } from '../engine/structured.ts';
import { checkedFlow, modelAnswer, type Script } from '../scripted.ts';

const llm = { type: 'llm', prompt: 'x' };
const agent = { type: 'agent', instructions: 'x' };
const transform = { type: 'transform', output: 1 };
const when = '{{ input.message = "" }}';
const models = { default: { model: 'a', fallback: 'b' }, b: { model: 'b' } };
const retry = { max_attempts: 3, delay_ms: 0, on: ['*'] };
const body = (nodes: JsonObject) => ({ start: Object.keys(nodes)[0] ?? '', nodes });
const items = '{{ input.user_variables.items }}';
const wide = { limits: { max_steps: 10_000, max_model_calls: 1000 } };
const tool = { name: 'look', description: 'x', http: { url: 'https://a.example/x' } };
const child = { name: 'child', description: 'x', instructions: 'x' };
const around = (held: JsonObject, rest: JsonObject = {}) => ({
  a: { ...llm, ...held, next: 'b' },
  b: { type: 'switch', cases: [{ when, next: 'a' }], default: 'c', ...rest },
  c: llm,
});

const table: readonly (readonly [string, JsonObject, JsonObject, number, number])[] = [
  ['one node', { a: transform }, {}, 1, 0],
  [
    'the longer of two ways',
    {
      way: { type: 'switch', cases: [{ when, next: 'short' }], default: 'ask' },
      ask: { ...llm, next: 'short' },
      short: { ...llm, catch: [{ on: ['*'], next: 'last' }] },
      last: llm,
    },
    {},
    4,
    3,
  ],
  ['attempts and fallbacks', { a: { ...llm, retry } }, { models }, 1, 6],
  ['a correction', { a: { ...llm, output_schema: {} } }, {}, 1, 2],
  ['turns by default', { a: agent }, {}, 1, 8],
  ['turns of the agent', { a: { ...agent, max_turns: 5 } }, {}, 1, 5],
  ['turns of agents inside it', { a: { ...agent, max_turns: 2, agents: [child] } }, wide, 1, 2 + 2 * 16 * 8],
  [
    'branches',
    { a: { type: 'parallel', branches: { one: body({ b: llm }), two: body({ c: llm }) } } },
    {},
    3,
    2,
  ],
  ['items that are written down', { a: { type: 'map', items: [1, 2, 3], body: body({ b: llm }) } }, {}, 4, 3],
  ['a list of no items', { a: { type: 'map', items: [], body: body({ b: llm }) } }, {}, 1, 0],
  ['items that a run finds', { a: { type: 'map', items, body: body({ b: llm }) } }, wide, 10_000, 1000],
  [
    'attempts of all that is inside',
    { a: { type: 'map', items: [1, 2], body: body({ b: { ...llm, retry } }), retry } },
    {},
    7,
    18,
  ],
  ['a loop that its visits hold', around({ max_visits: 3 }), {}, 3 + 3 + 1, 3 + 1],
  ['a loop that is held elsewhere', around({}, { max_visits: 2 }), {}, 1 + 2 * 2 + 1, 1 + 2 + 1],
  ['a loop that is held twice', around({ max_visits: 3 }, { max_visits: 2 }), {}, 3 + 2 + 1, 3 + 1],
  [
    'a loop that leads out of itself after its visits',
    { ...around({ max_visits: 3, on_max_visits: 'd' }), d: { ...llm, next: 'e' }, e: llm },
    {},
    3 + 3 + 2,
    3 + 2,
  ],
  [
    'a loop that leads on inside itself after its visits',
    { ...around({ max_visits: 3, on_max_visits: 'd' }), d: { ...llm, next: 'b', max_visits: 2 } },
    {},
    3 + 3 + 2 * 2 + 1,
    3 + 2 + 1,
  ],
  [
    'a loop that continues without the node that has no visit left',
    { ...around({ max_visits: 3, on_max_visits: 'd' }), d: { ...transform, next: 'b' } },
    {},
    200,
    3 + 1,
  ],
  ['visits of a node in no loop', { a: { ...llm, max_visits: 9 } }, {}, 1, 1],
  [
    'a loop inside a loop, of which the inner is not held',
    {
      a: { ...llm, max_visits: 2, next: 'b' },
      b: { type: 'switch', cases: [{ when, next: 'b' }], default: 'a' },
    },
    {},
    200,
    2,
  ],
  ['a loop that nothing holds, by the limits', around({}), {}, 200, 40],
  ['fewer calls than steps', { a: { ...transform, next: 'a' } }, {}, 200, 0],
  ['the steps of the flow', around({}), { limits: { max_steps: 7 } }, 7, 7],
  ['the calls of the flow', around({}), { limits: { max_model_calls: 4 } }, 200, 4],
  ['no calls at all', around({}), { limits: { max_model_calls: 0 } }, 200, 0],
  [
    'no more calls than its steps can make',
    { a: { ...llm, retry, next: 'a' } },
    { limits: { max_steps: 2 } },
    2,
    6,
  ],
  ['a flow that is called', { a: { type: 'flow', flowid: 'x' } }, {}, 200, 40],
  [
    'a flow as a tool',
    { a: { ...agent, tools: [{ flow: 'x', name: 'x', description: 'x' }] } },
    { limits: { max_steps: 30, max_model_calls: 12 } },
    30,
    12,
  ],
];

describe('the worst case counts', () => {
  test.each(table)('%s', (_what, nodes, more, steps, model_calls) => {
    expect(buildManifest(checkedFlow(nodes, more)).worst_case).toEqual({ steps, model_calls });
  });
});

test('of a flow of many ways is found at once', () => {
  const ids = Array.from({ length: 498 }, (_, index) => `n${index}`);
  const to = (index: number) => ids[index % ids.length];
  const nodes = Object.fromEntries(
    ids.map((id, index) => {
      const catches = Array.from({ length: 60 }, (_, one) => ({
        on: ['timeout'],
        next: to(index + one + 1),
      }));
      const held = index % 2 === 0 && { max_visits: 2 };
      return [id, { ...transform, next: 'done', catch: catches, ...held }];
    }),
  );
  const flow = checkedFlow({ ...nodes, done: transform });
  const began = clock.cpuMs();
  expect(buildManifest(flow).worst_case).toEqual({ steps: 200, model_calls: 0 });
  expect(clock.cpuMs() - began).toBeLessThan(1_000);
});

type Mood = 'lucky' | 'greedy' | 'failing';
const lucky = scriptWith(() => 0);

/**
 * Models that answer, that want tools for as long as they may, or that fail until nothing is left but the
 * last try.
 */
const script = (mood: Mood): Script => ({
  ...lucky,
  model: (request, call) => {
    const { tools = [], model } = request;
    if (mood === 'lucky') return lucky.model?.(request, call) ?? modelAnswer('');
    if (mood === 'failing' && (call.attempt < 2 || model.model === 'a'))
      throw new NodeError('model.unavailable', 'No answer.');
    const tool_calls = tools.map(({ name }) => ({ id: 'call', name, arguments: { id: 'x' } }));
    return { ...modelAnswer(''), ...(tools.length > 0 && { tool_calls }) };
  },
});

/** Nodes begun and models asked, in all invocations. */
async function taken(flow: Flow, mood: Mood) {
  const { invocations } = await driven(flow, script(mood));
  const steps = invocations.flatMap(({ entries }) => entries.filter(({ event }) => event === 'started'));
  return { steps: steps.length, model_calls: invocations.flatMap(({ prompts }) => prompts).length };
}

test('is what a run takes that has the worst luck', async () => {
  const again = { ...retry, max_attempts: 2 };
  const nodes = {
    each: { type: 'map', items: [1, 2], body: body({ b: { ...llm, retry: again } }), next: 'a' },
    a: { ...agent, max_turns: 3, tools: [tool], max_visits: 2, catch: [{ on: ['*'], next: 'a' }] },
  };
  const flow = checkedFlow(nodes, { models, egress: ['a.example'] });
  expect(await taken(flow, 'failing')).toEqual({ steps: 5, model_calls: 12 });
  expect(await taken(flow, 'greedy')).toEqual({ steps: 5, model_calls: 8 });
  expect(buildManifest(flow).worst_case).toEqual({ steps: 5, model_calls: 20 });
});

/** Limits that some flows reach and others do not. */
const limits = fc.record({
  max_steps: fc.integer({ min: 1, max: 60 }),
  max_model_calls: fc.nat({ max: 20 }),
});

/** With fallbacks, attempts, turns and visits that can be counted. */
const countable = fc
  .record({ flow: structuredFlow, visits: fc.nat({ max: 3 }), own: fc.option(limits) })
  .map(({ flow: { nodes, limits = {}, ...rest }, visits, own }) => {
    const counted: Flow['nodes'] = JSON.parse(JSON.stringify(nodes), (_key, value) => {
      if (value?.type === 'switch' && visits > 0) return { ...value, max_visits: visits };
      if (value?.type === 'llm') return { ...value, retry: { ...retry, max_attempts: 2 } };
      return value?.type === 'agent' ? { ...value, max_turns: 2 } : value;
    });
    return checkedFlow(counted, { ...rest, models, limits: { ...limits, ...own } });
  });

test(`no run takes more (SEED=${seed})`, async () => {
  const reached = { steps: 0, calls: 0 };
  const moods = fc.constantFrom<Mood>('lucky', 'greedy', 'failing');
  const property = fc.asyncProperty(countable, moods, async (flow, mood) => {
    const most = buildManifest(flow).worst_case;
    const { steps, model_calls } = await taken(flow, mood);
    if (steps === most.steps) reached.steps++;
    if (model_calls > 0 && model_calls === most.model_calls) reached.calls++;
    expect(steps).toBeLessThanOrEqual(most.steps);
    expect(model_calls).toBeLessThanOrEqual(most.model_calls);
  });
  await fc.assert(property, { seed, numRuns: 300 });
  // A bound that no run ever reaches would say little.
  expect(Math.min(reached.steps, reached.calls)).toBeGreaterThan(0);
});
