// `on_max_visits`: where a run continues that comes to a node once more than the node may be executed.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { driven } from '../driven.ts';
import { checkedFlow, run, runNodes, scripted } from '../scripted.ts';

/** Each round appends its number to the state. */
const draft = {
  type: 'transform',
  output: '{{ $count(state.rounds) + 1 }}',
  assign: { rounds: '{{ $append(state.rounds, nodes.draft) }}' },
  next: 'review',
};
const review = { type: 'switch', cases: [{ when: '{{ false }}', next: 'done' }], default: 'draft' };
const done = { type: 'end', output: { rounds: '{{ [state.rounds] }}', draft: '{{ nodes.draft }}' } };
const looped = { draft: { ...draft, max_visits: 3, on_max_visits: 'done' }, review, done };
const state = { rounds: [] };
const flow = { state };

describe('a node that has no visit left', () => {
  test('leads to `on_max_visits`, and its last output stays', async () => {
    const { outcome } = await runNodes(looped, {}, { flow });
    expect(outcome).toMatchObject({ status: 'completed', response: { rounds: [1, 2, 3], draft: 3 } });
  });

  test('takes no step', async () => {
    const steps = (max_steps: number) => runNodes(looped, {}, { flow: { state, limits: { max_steps } } });
    expect((await steps(7)).outcome).toMatchObject({ status: 'completed' });
    expect((await steps(6)).outcome).toMatchObject({ error: { code: 'limit.steps', node_id: 'done' } });
  });

  test('is in the log, with the number of its visits and the next node', async () => {
    const { entries } = await runNodes(looped, {}, { flow });
    expect(entries.filter(({ event }) => event === 'redirected')).toMatchObject([
      {
        level: 'warn',
        node_id: 'draft',
        message: 'transform "draft" was executed 3 times; the run continues at "done".',
      },
    ]);
  });

  test('ends the run with `limit.visits` if it has no `on_max_visits`', async () => {
    const { outcome } = await runNodes({ ...looped, draft: { ...draft, max_visits: 3 } }, {}, { flow });
    expect(outcome).toMatchObject({
      error: {
        code: 'limit.visits',
        message: 'The run passed the limit of 3 visits to "draft".',
        node_id: 'draft',
      },
    });
  });

  test('may lead to another that has none left either', async () => {
    const nodes = {
      a: { type: 'transform', output: 1, next: 'b', max_visits: 1, on_max_visits: 'b' },
      b: { type: 'transform', output: 2, next: 'a', max_visits: 2, on_max_visits: 'c' },
      c: { type: 'transform', output: 3 },
    };
    const { entries, outcome } = await runNodes(nodes);
    expect(outcome).toMatchObject({ status: 'completed' });
    const path = entries.filter(({ event }) => event === 'started' || event === 'redirected');
    expect(path.map(({ node_id, event }) => `${node_id} ${event}`)).toEqual([
      'a started',
      'b started',
      'a redirected',
      'b started',
      'a redirected',
      'b redirected',
      'c started',
    ]);
  });

  test('counts in each scope separately', async () => {
    const body = {
      start: 'try',
      nodes: {
        try: { type: 'transform', output: '{{ item }}', next: 'again', max_visits: 2, on_max_visits: 'last' },
        again: { type: 'transform', output: 0, next: 'try' },
        last: { type: 'transform', output: 'gave up on {{ nodes.try }}' },
      },
    };
    const { outcome } = await runNodes({
      each: { type: 'map', items: ['a', 'b'], body, assign: { all: '{{ nodes.each }}' } },
    });
    expect(outcome).toMatchObject({ response: { all: ['gave up on a', 'gave up on b'] } });
  });
});

test('from every snapshot the run ends as it would have', async () => {
  const whole = await driven(checkedFlow(looped, flow), {});
  const [first] = whole.invocations;
  expect(first?.snapshots).toHaveLength(6);
  for (const snapshot of first?.snapshots ?? [])
    expect((await driven(checkedFlow(looped, flow), {}, { snapshot })).outcome).toEqual(whole.outcome);
});

test('a run that was paused before its node had a limit continues where the new build says', async () => {
  const waiting = { ...looped, review: { type: 'ask', prompt: 'Again?', next: 'draft' } };
  const paused = await run(checkedFlow({ draft, review: waiting.review }, flow), scripted());
  if (paused.status !== 'input_required') throw new Error(`The run is ${paused.status}.`);
  const snapshot: Snapshot = JSON.parse(JSON.stringify(paused.snapshot));
  const limited = { ...waiting, draft: { ...draft, max_visits: 1, on_max_visits: 'done' } };
  const outcome = await run(checkedFlow(limited, flow), scripted(), { snapshot, answer: { value: 'yes' } });
  expect(outcome).toMatchObject({ status: 'completed', response: { rounds: [1] } });
});

describe('the check of a flow', () => {
  const listMistakes = (nodes: object) => {
    const checked = checkFlow({ version: 1, name: 'F', start: 'draft', state, nodes });
    return checked.ok ? [] : checked.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
  };
  const leading = (more: object) => ({ ...looped, draft: { ...draft, ...more } });

  test('accepts a node that only `on_max_visits` leads to, and a loop that only it leaves', () => {
    const nodes = { draft: looped.draft, review: { type: 'transform', output: 1, next: 'draft' }, done };
    const checked = checkFlow({ version: 1, name: 'F', start: 'draft', state, nodes });
    expect(checked).toMatchObject({ ok: true, warnings: [] });
  });

  test.each([
    [
      'an unknown node',
      leading({ max_visits: 3, on_max_visits: 'dnoe' }),
      '/nodes/draft/on_max_visits: unknown node "dnoe": did you mean "done"?',
    ],
    [
      'no `max_visits`',
      leading({ on_max_visits: 'done' }),
      '/nodes/draft/on_max_visits: expected `max_visits` together with `on_max_visits`',
    ],
    [
      'the node itself',
      leading({ max_visits: 3, on_max_visits: 'draft' }),
      '/nodes/draft/on_max_visits: leads back to "draft" through `on_max_visits` alone: expected a path to a node that may still be executed',
    ],
    [
      'a circle',
      {
        ...leading({ max_visits: 3, on_max_visits: 'review' }),
        review: { ...review, max_visits: 3, on_max_visits: 'draft' },
      },
      '/nodes/draft/on_max_visits: leads back to "draft" through `on_max_visits` alone: expected a path to a node that may still be executed',
    ],
    [
      'a node of another scope',
      {
        ...leading({ max_visits: 3, on_max_visits: 'inner' }),
        done: {
          type: 'map',
          items: [],
          body: { start: 'inner', nodes: { inner: { type: 'transform', output: 1 } } },
        },
      },
      '/nodes/draft/on_max_visits: the node "inner" belongs to another scope',
    ],
  ])('refuses %s', (_what, nodes, expected) => {
    expect(listMistakes(nodes)).toEqual([expect.stringContaining(expected)]);
  });
});
