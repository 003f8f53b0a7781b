// Events for runs that wait for them, by name and key.
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { storeSentEvent } from '#lib/run/event-items.ts';
import { enqueueRun } from '#lib/run/run-queue.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { flushDelayedMessages, idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { cancelRun, resumeRun, runState, startedRun } from '#test/support/run-calls.ts';

const paid = { type: 'wait', event: 'payment.completed', key: '{{ input.message }}' };
const done = { type: 'end', output: { got: '{{ nodes.w }}' } };
const waitingAgent = (some: object = {}, others: object = {}) =>
  liveAgent({
    flow: flow({ start: 'w', nodes: { w: { ...paid, next: 'done', ...some }, done, ...others } }),
  });

type Sender = Pick<TestAgent, 'key' | 'workspaceid'>;
const send = (sender: Sender, body: object) =>
  call('sendRunEvent', {
    key: sender.key,
    query: { workspaceid: sender.workspaceid },
    body: { event: 'payment.completed', ...body },
  });

/** A run that waits for the event of a new key. */
async function waiting(agent: TestAgent) {
  const key = unique('order');
  const id = await startedRun(agent, key);
  await idle();
  return { id, key };
}
const statusOf = async (agent: TestAgent, id: string) => (await runState(agent, id)).status;

describe('202', () => {
  test('a run that waits for the event continues with it', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    expect(await runState(agent, id)).toMatchObject({ status: 'pending', requires_input: false });
    const { body, status } = await send(agent, { key, data: { amount: 5 }, id: 'evt_1' });
    expect([status, body]).toEqual([202, { id: 'evt_1', status: 'accepted', waiting_runs: 1 }]);
    await idle();
    expect(await runState(agent, id)).toMatchObject({
      status: 'completed',
      response: {
        got: {
          event: 'payment.completed',
          key,
          id: 'evt_1',
          data: { amount: 5 },
          received_at: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
    });
  });

  test('all runs that wait for it continue, of whichever flow, and no others', async () => {
    const agent = await waitingAgent();
    const other = await liveAgent(
      { flow: flow({ start: 'w', nodes: { w: { ...paid, next: 'done' }, done } }) },
      agent,
    );
    const { id, key } = await waiting(agent);
    const second = await startedRun(other, key);
    const { id: stranger } = await waiting(agent);
    await idle();
    expect((await send(agent, { key })).body.waiting_runs).toBe(2);
    await idle();
    expect(
      await Promise.all([statusOf(agent, id), statusOf(other, second), statusOf(agent, stranger)]),
    ).toEqual(['completed', 'completed', 'pending']);
  });

  test('a run that begins to wait once another has received an event gets the next one', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    await send(agent, { key, data: { attempt: 1 } });
    await idle();
    expect(await statusOf(agent, id)).toBe('completed');
    const second = await startedRun(agent, key);
    await idle();
    expect(await statusOf(agent, second)).toBe('pending');
    await send(agent, { key, data: { attempt: 2 } });
    await idle();
    expect(await runState(agent, second)).toMatchObject({
      status: 'completed',
      response: { got: { data: { attempt: 2 } } },
    });
  });

  test('of two runs that begin to wait after an event, one gets it', async () => {
    const agent = await waitingAgent();
    const key = unique('order');
    await send(agent, { key });
    const ids = await Promise.all([startedRun(agent, key), startedRun(agent, key)]);
    await idle();
    const statuses = await Promise.all(ids.map((id) => statusOf(agent, id)));
    expect(statuses.toSorted()).toEqual(['completed', 'pending']);
  });

  test('an event that was sent shortly before the run waits is not lost', async () => {
    const agent = await waitingAgent();
    const key = unique('order');
    expect((await send(agent, { key, data: { early: true } })).body.waiting_runs).toBe(0);
    const id = await startedRun(agent, key);
    await idle();
    expect(await runState(agent, id)).toMatchObject({ response: { got: { data: { early: true } } } });
  });

  test('an event that is sent again has no further effect, and a run receives each event once', async () => {
    const agent = await waitingAgent({ next: 'again' }, { again: { ...paid, next: 'done' } });
    const { id, key } = await waiting(agent);
    const first = { key, id: 'evt_1', data: { n: 1 } };
    await Promise.all([send(agent, first), send(agent, first)]);
    await idle();
    await send(agent, first);
    await idle();
    expect(await statusOf(agent, id)).toBe('pending');
    await send(agent, { key, id: 'evt_2', data: { n: 2 } });
    await idle();
    expect(await runState(agent, id)).toMatchObject({
      status: 'completed',
      response: { got: { id: 'evt_1' } },
    });
  });

  test('the time that is up continues the run, and later events do not reach it', async () => {
    const agent = await waitingAgent(
      { timeout_seconds: 1, on_timeout: 'late' },
      { late: { type: 'end', output: { late: true } } },
    );
    const { id, key } = await waiting(agent);
    await expect
      .poll(
        async () => {
          await flushDelayedMessages();
          return await statusOf(agent, id);
        },
        { timeout: 20_000 },
      )
      .toBe('completed');
    expect((await send(agent, { key })).status).toBe(202);
    await idle();
    expect(await runState(agent, id)).toMatchObject({ response: { late: true } });
  });

  test('a canceled run stays canceled', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    await cancelRun(agent, id);
    await send(agent, { key });
    await idle();
    expect(await statusOf(agent, id)).toBe('canceled');
  });

  test('of an event and a cancel at the same time one counts, and the run says which', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    const [, canceled] = await Promise.all([send(agent, { key }), cancelRun(agent, id)]);
    await idle();
    const { status, logs } = await runState(agent, id);
    expect(status).toBe(canceled.status === 200 ? 'canceled' : 'completed');
    const ends = logs.filter(({ event }) => event === 'run_canceled' || event === 'run_completed');
    expect(ends).toHaveLength(1);
  });

  test('a run that also asks a question gets both, in either order', async () => {
    const branches = {
      pay: { start: 'w', nodes: { w: paid } },
      ask: { start: 'sure', nodes: { sure: { type: 'ask', prompt: 'Sure?' } } },
    };
    const agent = await liveAgent({
      flow: flow({
        start: 'both',
        nodes: {
          both: { type: 'parallel', branches, next: 'end' },
          end: { type: 'end', output: { data: '{{ nodes.both.pay.data }}', sure: '{{ nodes.both.ask }}' } },
        },
      }),
    });
    for (const order of ['event', 'answer'] as const) {
      const { id, key } = await waiting(agent);
      expect(await statusOf(agent, id)).toBe('input_required');
      const both = [
        () => send(agent, { key, data: { amount: 5 } }),
        () => resumeRun(agent, id, { answer: 'yes' }),
      ];
      for (const act of order === 'event' ? both : both.reverse()) {
        await act();
        await idle();
      }
      expect(await runState(agent, id)).toMatchObject({
        status: 'completed',
        response: { data: { amount: 5 }, sure: 'yes' },
      });
    }
  });

  test('only runs in its environment get it', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    expect((await send(agent, { key, environment: 'test' })).body.waiting_runs).toBe(0);
    await idle();
    expect(await statusOf(agent, id)).toBe('pending');
    expect((await send(agent, { key, environment: 'prod' })).body.waiting_runs).toBe(1);
  });

  test('another organisation and another workspace get the same answer, and resume nothing', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    const hostile = await newCaller();
    // The workspaces of two organisations may have the same name.
    const answers = [
      await send({ ...hostile, workspaceid: agent.workspaceid }, { key, id: 'evt_1' }),
      await send(hostile, { key, id: 'evt_1' }),
    ];
    for (const { body, status } of answers)
      expect([status, body]).toEqual([202, { id: 'evt_1', status: 'accepted', waiting_runs: 0 }]);
    await idle();
    expect(await statusOf(agent, id)).toBe('pending');
    expect((await send(agent, { key, id: 'evt_1' })).body.waiting_runs).toBe(1);
    await idle();
    expect(await statusOf(agent, id)).toBe('completed');
  });

  test('the resume of questions does not answer a wait', async () => {
    const agent = await waitingAgent();
    const { id } = await waiting(agent);
    const { status } = await resumeRun(agent, id, { id: 'w.1', answer: { data: {} } });
    expect(status).toBe(409);
  });
});

test('a worker that died when the run had paused costs no event: the next message looks again', async () => {
  const agent = await waitingAgent();
  const { id, key } = await waiting(agent);
  const topic = { ...agent, environment: 'live', event: 'payment.completed', key } as const;
  await storeSentEvent(topic, { id: 'evt_1', data: { n: 1 }, at: new Date().toISOString() });
  await enqueueRun({ ...agent, run_id: id });
  await idle();
  expect(await runState(agent, id)).toMatchObject({ response: { got: { id: 'evt_1', data: { n: 1 } } } });
});

describe('400', () => {
  test.each([
    ['a name with white space', { event: 'a b', key: 'k' }, '/body/event'],
    ['no key', {}, '/body/key'],
    ['an empty key', { key: '' }, '/body/key'],
    ['a key with a line break', { key: 'a\nb' }, '/body/key'],
    ['data that is no object', { key: 'k', data: 5 }, '/body/data'],
    ['too much data', { key: 'k', data: { text: 'x'.repeat(limits.eventDataBytes) } }, '/body/data'],
  ])('%s', async (_name, body, pointer) => {
    const caller = await newCaller();
    const answer = await send(caller, body);
    expect(answer.status).toBe(400);
    expect(answer.problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
  });
});

describe('422', () => {
  test('another event under an id that was sent before', async () => {
    const agent = await waitingAgent();
    const { id, key } = await waiting(agent);
    await send(agent, { key, id: 'evt_1', data: { n: 1 } });
    const { status, problem } = await send(agent, { key, id: 'evt_1', data: { n: 2 } });
    expect([status, problem]).toMatchObject([422, { code: 'idempotency_key_reused' }]);
    await idle();
    expect(await runState(agent, id)).toMatchObject({ response: { got: { data: { n: 1 } } } });
  });
});
