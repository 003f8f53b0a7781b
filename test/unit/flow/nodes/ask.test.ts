// The node type `ask`, and how a run takes answers: at any depth, by id, and without harm from one that does
// not fit.
import { describe, expect, test } from 'vitest';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { checkedFlow, run, scripted, startedAt } from '../scripted.ts';

const done = { type: 'end', output: { answer: '{{ nodes.q }}', state: '{{ state }}' } };
const asking = (more: object = {}, flow: Readonly<Record<string, unknown>> = {}) =>
  checkedFlow({ q: { type: 'ask', prompt: 'Which of {{ 1 + 1 }}?', next: 'done', ...more }, done }, flow);

type Asked = Extract<Outcome, { status: 'input_required' }>;

async function asked(flow: Flow, options: Partial<RunOptions> = {}): Promise<Asked> {
  const outcome = await run(flow, scripted(), options);
  if (outcome.status === 'input_required') return outcome;
  throw new Error(JSON.stringify(outcome));
}

/** As another process would: from JSON, at a later time. */
async function answered(
  flow: Flow,
  { snapshot }: Asked,
  options: Partial<RunOptions>,
  laterMs = 0,
): Promise<Outcome> {
  const recorded = scripted();
  recorded.clock.pass(laterMs);
  const kept: Snapshot = JSON.parse(JSON.stringify(snapshot));
  return await run(flow, recorded, { snapshot: kept, ...options });
}

test('a run pauses with the question, and resumes with the answer as the output', async () => {
  const flow = asking({ assign: { number: '{{ answer }}' } });
  const first = await asked(flow);
  expect(first.requests).toEqual([{ id: 'q.1', node_id: 'q', purpose: 'ask', prompt: 'Which of 2?' }]);
  expect(await answered(flow, first, { answer: { value: '4711' } })).toEqual({
    status: 'completed',
    response: { answer: '4711', state: { number: '4711' } },
  });
});

test('a run that is resumed without an answer asks the same again', async () => {
  const flow = asking();
  const first = await asked(flow);
  expect(await answered(flow, first, {})).toMatchObject({
    status: 'input_required',
    requests: first.requests,
  });
});

describe('an answer that does not fit', () => {
  const flow = asking({
    schema: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
  });

  test.each([
    ['the schema', { value: { ok: 'yes' } }, 'answer.invalid', '/ok: expected boolean'],
    ['any question', { id: 'q.2', value: { ok: true } }, 'answer.unknown', 'q.2'],
    ['the size of a value', { value: { ok: true, x: 'x'.repeat(210_000) } }, 'answer.invalid', 'bytes'],
  ])('%s is refused, and the question still stands', async (_name, answer, code, words) => {
    const first = await asked(flow);
    expect(await answered(flow, first, { answer })).toMatchObject({
      status: 'refused',
      error: { code, message: expect.stringContaining(words) },
    });
    expect(await answered(flow, first, { answer: { value: { ok: true } } })).toMatchObject({
      response: { answer: { ok: true } },
    });
  });

  test('nobody waits for is refused', async () => {
    expect(await run(flow, scripted(), { answer: { value: 1 } })).toMatchObject({
      status: 'refused',
      error: { code: 'answer.unknown' },
    });
  });
});

describe('choices', () => {
  test.each([
    [['red', 'blue'], {}],
    ['{{ state.colours }}', { state: { colours: ['red', 'blue'] } }],
  ])('%j are listed in the request, and the answer is one of them', async (choices, more) => {
    const flow = asking({ choices }, more);
    const first = await asked(flow);
    expect(first.requests[0]?.choices).toEqual(['red', 'blue']);
    expect(await answered(flow, first, { answer: { value: 'green' } })).toMatchObject({
      error: { message: 'The answer does not fit: expected one of red, blue.' },
    });
    expect(await answered(flow, first, { answer: { value: 'blue' } })).toMatchObject({
      response: { answer: 'blue' },
    });
  });

  test('that are no texts fail the node', async () => {
    expect(await run(asking({ choices: '{{ [1] }}' }), scripted())).toMatchObject({
      error: { code: 'ask.bad_choices' },
    });
  });
});

describe('a question with a time limit', () => {
  const limited = (more: object = {}) => asking({ timeout_seconds: 60, ...more });

  test('contains the time at which it expires and the run resumes without an answer', async () => {
    const first = await asked(limited());
    const until = new Date(startedAt + 1_000 + 60_000).toISOString();
    expect(first).toMatchObject({ requests: [{ expires_at: until }], until });
  });

  test('fails with ask.timeout when nobody answers', async () => {
    const flow = limited();
    expect(await answered(flow, await asked(flow), {}, 59_000)).toMatchObject({ status: 'input_required' });
    expect(await answered(flow, await asked(flow), {}, 60_000)).toMatchObject({
      error: { code: 'ask.timeout', node_id: 'q' },
    });
  });

  test('goes to on_timeout when there is one', async () => {
    const flow = checkedFlow({
      q: { type: 'ask', prompt: '?', timeout_seconds: 60, on_timeout: 'late', next: 'done' },
      late: { type: 'end', output: { late: true } },
      done,
    });
    expect(await answered(flow, await asked(flow), {}, 61_000)).toMatchObject({ response: { late: true } });
  });

  test('takes an answer that comes late but before the run went on', async () => {
    const flow = limited();
    expect(await answered(flow, await asked(flow), { answer: { value: 'x' } }, 90_000)).toMatchObject({
      response: { answer: 'x' },
    });
  });
});

describe('several questions at once', () => {
  const flow = checkedFlow({
    each: {
      type: 'map',
      items: ['a', 'b'],
      body: {
        start: 'fan',
        nodes: {
          fan: {
            type: 'parallel',
            branches: {
              x: { start: 'ask_x', nodes: { ask_x: { type: 'ask', prompt: '{{ item }}?' } } },
              y: { start: 'say', nodes: { say: { type: 'transform', output: '{{ item }}!' } } },
            },
          },
        },
      },
      next: 'end',
    },
    end: { type: 'end', output: { each: '{{ nodes.each }}' } },
  });
  const ids = ['each.1.0.fan.1.x.ask_x.1', 'each.1.1.fan.1.x.ask_x.1'];

  test('are asked together once all else has run, and are answered by id or in order', async () => {
    const first = await asked(flow);
    expect(first.requests.map(({ id }) => id)).toEqual(ids);
    const second = await answered(flow, first, { answer: { id: ids[1] ?? '', value: 'B' } });
    expect(second).toMatchObject({ status: 'input_required', requests: [{ id: ids[0] }] });
    if (second.status !== 'input_required') return;
    expect(await answered(flow, second, { answer: { value: 'A' } })).toMatchObject({
      response: {
        each: [
          { x: 'A', y: 'a!' },
          { x: 'B', y: 'b!' },
        ],
      },
    });
  });

  test('an answer is not lost when the run yields before it reaches the question', async () => {
    const first = await asked(flow);
    const yielded = await answered(flow, first, { answer: { id: ids[1] ?? '', value: 'B' }, yieldAt: 0 });
    if (yielded.status !== 'yielded') throw new Error(yielded.status);
    const second = await run(flow, scripted(), { snapshot: JSON.parse(JSON.stringify(yielded.snapshot)) });
    expect(second).toMatchObject({ status: 'input_required', requests: [{ id: ids[0] }] });
  });

  test('an answer is in every snapshot from then on, so that nobody is asked twice after a crash', async () => {
    const branches = {
      q: { start: 'q', nodes: { q: { type: 'ask', prompt: '?', assign: { a: '{{ $string(answer) }}' } } } },
      w: {
        start: 'w',
        nodes: { w: { type: 'wait', seconds: 1, next: 'x' }, x: { type: 'reply', text: 'x' } },
      },
    };
    const both = checkedFlow({ both: { type: 'parallel', branches } });
    const first = await asked(both);
    const recorded = scripted();
    recorded.clock.pass(1_000);
    await run(both, recorded, { snapshot: first.snapshot, answer: { value: 'yes' } });
    for (const text of recorded.snapshots) {
      const outcome = await run(both, scripted(), { snapshot: JSON.parse(text) });
      expect(outcome.status).not.toBe('input_required');
    }
    expect(recorded.snapshots.length).toBeGreaterThan(1);
  });
});
