import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { readRun } from '#lib/run/run-items.ts';
import { asked } from '#test/support/asking-runs.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { cancelRun, resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { eventually } from '#test/support/runs.ts';

const triggered = async (agent: TestAgent) =>
  (
    await call('triggerFlow', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
      body: { message: 'order 7' },
    })
  ).body;

const twoQuestions = flow({
  start: 'first',
  nodes: {
    first: { type: 'ask', prompt: 'First?', next: 'second' },
    second: { type: 'ask', prompt: 'Second?', next: 'done' },
    done: { type: 'end', output: { answers: '{{ [nodes.first, nodes.second] }}' } },
  },
});

/** Fails once it has its answer, and begins its only item again then. */
const askingTwice = () =>
  flow({
    start: 'each',
    nodes: {
      each: {
        type: 'map',
        items: '{{ [1] }}',
        body: {
          start: 'sure',
          nodes: {
            sure: { type: 'ask', prompt: 'Sure?', next: 'broken' },
            broken: { type: 'fail', message: 'No.', code: 'broken' },
          },
        },
        retry: { max_attempts: 2, delay_ms: 0, on: ['*'] },
      },
    },
  });

describe('202', () => {
  test('a run shows its question, and resumes with the answer', async () => {
    const { agent, id } = await asked();
    const state = await runState(agent, id);
    expect(state).toMatchObject({
      status: 'input_required',
      requires_input: true,
      response: {},
      error: null,
    });
    expect(state.input_requests).toMatchObject([{ prompt: 'Refund order 7?', choices: ['yes', 'no'] }]);
    const { body } = await resumeRun(agent, id, { answer: 'yes' });
    expect(body).toMatchObject({ workflow_id: id, status: 'pending', requires_input: false });
    await idle();
    expect(await runState(agent, id)).toMatchObject({ status: 'completed', response: { answered: 'yes' } });
  });

  test('a synchronous run returns its question, and resumes in the background', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const result = await triggered(agent);
    expect(result).toMatchObject({
      status: 'input_required',
      requires_input: true,
      response: {},
      error: null,
    });
    expect(result.input_requests).toHaveLength(1);
    await resumeRun(agent, result.workflow_id, { answer: 'no' });
    await idle();
    expect(await runState(agent, result.workflow_id)).toMatchObject({ response: { answered: 'no' } });
  });

  test('a repeated answer changes nothing, whether it arrives at once or after the end', async () => {
    const { agent, id } = await asked();
    const together = await Promise.all([1, 2, 3].map(() => resumeRun(agent, id, { answer: 'yes' })));
    expect(together.map(({ status }) => status)).toEqual([202, 202, 202]);
    await idle();
    const state = await runState(agent, id);
    expect((await resumeRun(agent, id, { answer: 'yes' })).body).toEqual(state);
    expect(state.logs.filter(({ event }) => event === 'run_completed')).toHaveLength(1);
  });

  test('an answer that is repeated when the next question is open answers only the first one', async () => {
    const { agent, id } = await asked({ flow: twoQuestions });
    await resumeRun(agent, id, { answer: 'yes', id: 'first.1' });
    await idle();
    const again = await resumeRun(agent, id, { answer: 'yes', id: 'first.1' });
    expect(again.status).toBe(202);
    expect(again.body.input_requests?.map((request) => request.id)).toEqual(['second.1']);
    await idle();
    expect((await runState(agent, id)).input_requests?.map((request) => request.id)).toEqual(['second.1']);
    await resumeRun(agent, id, { answer: 'no', id: 'second.1' });
    await idle();
    expect((await runState(agent, id)).response).toEqual({ answers: ['yes', 'no'] });
    expect((await resumeRun(agent, id, { answer: 'yes', id: 'first.1' })).status).toBe(202);
  });

  test('a node that is retried asks a new question', async () => {
    const { agent, id } = await asked({ flow: askingTwice() });
    await resumeRun(agent, id, { answer: 'yes', id: 'each.1.0.sure.1' });
    await idle();
    const again = await resumeRun(agent, id, { answer: 'yes', id: 'each.1.0.sure.1' });
    expect(again.status).toBe(202);
    expect(again.body.input_requests?.map((request) => request.id)).toEqual(['each.1.0.sure.1-2']);
  });

  test('a question without an answer in time continues at its `on_timeout` node', async () => {
    const { agent, id } = await asked({ flow: askingFlow({ timeout_seconds: 0.5, on_timeout: 'done' }) });
    const state = await eventually(
      () => runState(agent, id),
      ({ status }) => status === 'completed',
    );
    expect(state.response).toEqual({ answered: null });
    expect((await resumeRun(agent, id, { answer: 'yes' })).problem.code).toBe('run_not_waiting');
  });

  test('a paused run has no lease, and its time limit does not count', async () => {
    const { id } = await asked();
    const run = await readRun(id);
    expect(run).toMatchObject({ lease_until: 0, wake_at: 0, mode: 'queued' });
    expect(run?.deadline).toBeGreaterThan(Date.now());
  });
});

describe('400', () => {
  test.each([
    ['an answer that is none of the choices', { answer: 'perhaps' }, '/body/answer'],
    ['an id that is none of the questions', { answer: 'yes', id: 'other.1' }, '/body/id'],
    ['no answer', {}, '/body/answer'],
  ])('%s leaves the question open', async (_, body, pointer) => {
    const { agent, id } = await asked();
    const { problem } = await resumeRun(agent, id, body);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect((await runState(agent, id)).status).toBe('input_required');
  });

  test('an answer without the id of its question is refused once there was another question', async () => {
    const { agent, id } = await asked({ flow: twoQuestions });
    await resumeRun(agent, id, { answer: 'yes' });
    await idle();
    const { problem } = await resumeRun(agent, id, { answer: 'yes' });
    expect(problem.errors).toEqual([{ pointer: '/body/id', detail: 'must be one of second.1' }]);
    expect((await runState(agent, id)).status).toBe('input_required');
  });

  test('an answer that does not match the schema is refused with the reason', async () => {
    const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const node = { type: 'ask', prompt: 'How much?', schema, next: 'done' };
    const done = { type: 'end', output: { sum: '{{ nodes.sure.sum }}' } };
    const { agent, id } = await asked({ flow: flow({ start: 'sure', nodes: { sure: node, done } }) });
    const { problem } = await resumeRun(agent, id, { answer: { sum: 'a lot' } });
    expect(problem.errors?.[0]?.detail).toContain('/sum');
    await resumeRun(agent, id, { answer: { sum: 7 } });
    await idle();
    expect((await runState(agent, id)).response).toEqual({ sum: 7 });
  });
});

describe('404', () => {
  test('a missing run and one of another organisation give the same error', async () => {
    const { agent, id } = await asked();
    const stranger = await newCaller();
    const foreign = (await resumeRun({ ...agent, key: stranger.key }, id, { answer: 'yes' })).problem;
    const missing = (await resumeRun(agent, newRunId(), { answer: 'yes' })).problem;
    expect(foreign.code).toBe('run_not_found');
    expect({ ...foreign, instance: '' }).toEqual({ ...missing, instance: '' });
  });
});

describe('409', () => {
  test('a different second answer is refused, also at the same time', async () => {
    const { agent, id } = await asked();
    const answers = await Promise.all(['yes', 'no'].map((answer) => resumeRun(agent, id, { answer })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    await idle();
    const won = answers[0]?.status === 202 ? 'yes' : 'no';
    expect((await runState(agent, id)).response).toEqual({ answered: won });
  });

  test('a run without a question and a canceled one accept no answer', async () => {
    const agent = await liveAgent();
    const completed = await startedRun(agent);
    await idle();
    expect((await resumeRun(agent, completed, { answer: 1 })).problem.code).toBe('run_not_waiting');
    const { agent: asking, id } = await asked();
    await cancelRun(asking, id);
    expect((await resumeRun(asking, id, { answer: 'yes' })).problem.code).toBe('run_not_waiting');
  });

  test('a question has one answer, and a run that has ended accepts none to its last question', async () => {
    const { agent, id } = await asked({ flow: twoQuestions });
    await resumeRun(agent, id, { answer: 'yes' });
    await idle();
    const other = (await resumeRun(agent, id, { answer: 'no', id: 'first.1' })).problem;
    expect(other).toMatchObject({
      code: 'run_not_waiting',
      detail: 'The question first.1 has another answer already.',
    });
    await cancelRun(agent, id);
    for (const body of [{ answer: 'yes' }, { answer: 'yes', id: 'second.1' }])
      expect((await resumeRun(agent, id, body)).problem).toMatchObject({
        code: 'run_not_waiting',
        detail: 'The run is over.',
      });
  });

  test('a question that has timed out accepts no answer, whatever was asked since', async () => {
    const { agent, id } = await asked({
      flow: askingFlow(
        { timeout_seconds: 0.5, on_timeout: 'more' },
        { more: { type: 'ask', prompt: 'Or?', next: 'done' } },
      ),
    });
    await eventually(
      () => runState(agent, id),
      ({ input_requests }) => input_requests?.[0]?.id === 'more.1',
    );
    const { problem } = await resumeRun(agent, id, { answer: 'yes', id: 'sure.1' });
    expect(problem).toMatchObject({
      code: 'run_not_waiting',
      detail: 'The question sure.1 is not open any more.',
    });
  });
});
