// The time of an execution: `$now()` in its expressions, and what else follows from the execution.
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { checkedFlow, httpAnswer, run, scripted, startedAt } from '../scripted.ts';

const hour = 3_600_000;
/** How long a call takes: less than after what timers run, which would wait for the clock here. */
const slow = 20;
const at = (ms: number) => new Date(startedAt + ms).toISOString();
const last = (snapshots: readonly string[]): Snapshot => JSON.parse(snapshots.at(-1) ?? '');

test('is the time at which the run comes to the node, not that at which the run began', async () => {
  const recorded = scripted({
    http: () => {
      recorded.clock.pass(slow);
      return httpAnswer(200);
    },
  });
  const flow = checkedFlow(
    {
      first: { type: 'transform', output: '{{ $now() }}', next: 'call' },
      call: {
        type: 'http',
        url: 'https://api.example.com/',
        assign: { called: '{{ $now() }}' },
        next: 'done',
      },
      done: { type: 'end', output: { at: ['{{ nodes.first }}', '{{ state.called }}', '{{ $now() }}'] } },
    },
    { egress: ['api.example.com'], state: { called: null } },
  );
  const outcome = await run(flow, recorded);
  expect(outcome).toMatchObject({ response: { at: [at(0), at(1_000), at(slow + 1_000)] } });
});

describe('after three days of waiting', () => {
  const flow = checkedFlow({
    ask: { type: 'ask', prompt: 'Since {{ $now() }}?', assign: { answered: '{{ $now() }}' }, next: 'done' },
    done: { type: 'end', output: { answered: '{{ state.answered }}', ended: '{{ $millis() }}' } },
  });

  const pause = async (): Promise<Snapshot> => {
    const outcome = await run(flow, scripted());
    if (outcome.status === 'input_required') return outcome.snapshot;
    throw new Error(`The run is ${outcome.status}.`);
  };

  test('is the time of the answer, also if the run is resumed again from that snapshot', async () => {
    const snapshot = await pause();

    const answered = scripted();
    answered.clock.pass(72 * hour);
    const answer = { id: 'ask.1', value: 'yes' };
    const outcome = await run(flow, answered, { snapshot, answer });
    const time = 72 * hour + 1_000;
    expect(outcome).toMatchObject({ response: { answered: at(time), ended: startedAt + time } });

    const repeated = scripted();
    repeated.clock.pass(96 * hour);
    expect(await run(flow, repeated, { snapshot: last(answered.snapshots) })).toEqual(outcome);
  });

  test('a run that an earlier version paused resumes', async () => {
    const { entered, ...rest } = await pause();
    const { startedAt: _time, ...older } = entered ?? {};
    const answer = { id: 'ask.1', value: 'yes' };
    const outcome = await run(flow, scripted(), { snapshot: { ...rest, entered: older }, answer });
    expect(outcome).toMatchObject({ response: { answered: at(1_000) } });
  });
});

test('an execution that is repeated after a crash sends the same time and the same ids', async () => {
  const send = (id: string, next?: string) => ({
    type: 'http',
    method: 'POST',
    url: 'https://api.example.com/',
    body: {
      at: '{{ $now() }}',
      id: '{{ $uuid() }}',
      other: '{{ $uuid() }}',
      chance: '{{ $random() }}',
      by: id,
    },
    ...(next && { next }),
  });
  const nodes = {
    first: send('first', 'each'),
    each: {
      type: 'map',
      items: '{{ [1, 2] }}',
      max_concurrency: 1,
      body: { start: 'one', nodes: { one: send('one') } },
    },
  };
  const flow = checkedFlow(nodes, { egress: ['api.example.com'] });
  const whole = scripted({
    http: () => {
      whole.clock.pass(slow);
      return httpAnswer(200);
    },
  });
  await run(flow, whole);
  const bodies = (requests: typeof whole.requests) => requests.map(({ body }) => JSON.parse(String(body)));
  const sent = bodies(whole.requests);
  expect(new Set(sent.flatMap(({ id, other }) => [id, other])).size).toBe(6);
  expect(sent.map((body) => body.at)).toEqual([at(0), at(slow + 1_000), at(2 * slow + 1_000)]);

  for (const snapshot of whole.snapshots) {
    const repeated = scripted();
    repeated.clock.pass(9 * hour);
    await run(flow, repeated, { snapshot: JSON.parse(snapshot) });
    // What follows the repeated execution begins at another time.
    expect(bodies(repeated.requests)[0]).toEqual(sent[sent.length - repeated.requests.length]);
  }
});

test('an id that `catch` assigns is another than the one that the failed node sent', async () => {
  const recorded = scripted({ http: () => httpAnswer(500) });
  const flow = checkedFlow(
    {
      call: {
        type: 'http',
        method: 'POST',
        url: 'https://api.example.com/',
        body: { id: '{{ $uuid() }}' },
        catch: [{ on: ['http.*'], next: 'done', assign: { id: '{{ $uuid() }}' } }],
        next: 'done',
      },
      done: { type: 'end', output: { id: '{{ state.id }}' } },
    },
    { egress: ['api.example.com'], state: { id: null } },
  );
  const outcome = await run(flow, recorded);
  expect(outcome).toMatchObject({ response: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
  expect(outcome).not.toMatchObject({ response: JSON.parse(String(recorded.requests[0]?.body)) });
});

test('integers that a number would round are text, and the log says so', async () => {
  const recorded = scripted({
    http: () => ({ ...httpAnswer(200, { id: '12345678901234567890' }), kept: 1 }),
    mcp: {
      list: async () => [],
      call: async () => ({ content: { id: '12345678901234567890' }, isError: false, kept: 2 }),
    },
  });
  const flow = checkedFlow(
    {
      call: { type: 'http', url: 'https://api.example.com/', next: 'use' },
      use: { type: 'mcp', server: 'https://api.example.com/mcp', tool: 'find', next: 'read' },
      read: { type: 'transform', output: '{{ $parse("[9007199254740993, 9007199254740992]") }}' },
    },
    { egress: ['api.example.com'] },
  );
  await run(flow, recorded);
  expect(last(recorded.snapshots).nodes).toMatchObject({ call: { body: { id: '12345678901234567890' } } });
  expect(recorded.entries.filter(({ event }) => event === 'warning')).toMatchObject([
    { level: 'warn', node_id: 'call', message: expect.stringContaining('body: 1 integer kept as text') },
    {
      level: 'warn',
      node_id: 'use',
      message: expect.stringContaining('result of find: 2 integers kept as text'),
    },
    { level: 'warn', node_id: 'read', message: expect.stringContaining('$parse: 1 integer kept as text') },
  ]);
});
