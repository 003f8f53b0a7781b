// A task of another agent that takes longer than the invocation waits: the node pauses, and reads the task later.
import { expect, test } from 'vitest';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import { findRemoteTasks } from '#lib/flow/engine/snapshot.ts';
import type { AgentAnswer, AgentPort, AgentRequest } from '#lib/flow/ports/agent.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { agentFlow, reportedResults, says, turns, wants } from '../agent/scripted-agents.ts';
import { breathing } from '../driven.ts';
import { checkedFlow, never, run, type Script, scripted, startedAt } from '../scripted.ts';

const agent = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const works: AgentAnswer = { state: 'working', task_id: 't1', text: '' };
const done: AgentAnswer = { state: 'completed', task_id: 't1', context_id: 'c1', text: 'Fine.' };
const failed: AgentAnswer = { state: 'failed', task_id: 't1', text: 'Out of stock.' };
const asks: AgentAnswer = { state: 'input_required', task_id: 't1', context_id: 'c1', text: 'Which?' };
const input = { message: 'you', user_variables: {} };

const flow = (parts: JsonObject = {}) =>
  checkedFlow({
    a: { type: 'a2a', agent, message: 'Hello', ...parts, next: 'b' },
    b: { type: 'end', output: { text: '{{ nodes.a.text }}' } },
  });

function agents(...answers: readonly AgentAnswer[]) {
  const left = [...answers];
  const requests: AgentRequest[] = [];
  const port: AgentPort = async (request) => {
    requests.push(request);
    return left.shift() ?? works;
  };
  return { port, requests };
}

interface Invocation {
  readonly outcome: Outcome;
  /** Seconds since the start of the first invocation. */
  readonly pausedUntil: number | undefined;
}

/** Each invocation resumes in a new engine from the stored snapshot, that many seconds after the start. */
function resumable(
  checked: ReturnType<typeof checkedFlow>,
  script: Script,
  onTasks: RunOptions['onTasks'] = () => undefined,
) {
  let snapshot: string | undefined;
  return async (seconds: number, answer?: string, notified?: string): Promise<Invocation> => {
    const recorded = scripted(script);
    recorded.clock.pass(seconds * 1_000);
    const outcome = await run(checked, recorded, {
      ports: breathing(recorded),
      input,
      taskPatienceMs: 30_000,
      timeoutMs: 3_600_000,
      onTasks,
      ...(snapshot !== undefined && { snapshot: JSON.parse(snapshot) }),
      ...(answer !== undefined && { answer: { value: answer } }),
      ...(notified !== undefined && { isNotified: ({ task_id }) => task_id === notified }),
    });
    if ('snapshot' in outcome) snapshot = JSON.stringify(outcome.snapshot);
    const at = outcome.status === 'waiting' ? Date.parse(outcome.until) : undefined;
    return { outcome, pausedUntil: at && (at - startedAt) / 1_000 - 1 };
  };
}

test('is read at growing intervals, up to five minutes, and the message is sent once', async () => {
  const { port, requests } = agents();
  const resume = resumable(flow(), { agent: port });
  const times: number[] = [];
  for (let at = 0; times.length < 8; ) {
    const { pausedUntil = Number.NaN } = await resume(at);
    times.push(pausedUntil - at);
    at = pausedUntil;
  }
  expect(times).toEqual([60, 60, 60, 90, 135, 202.5, 300, 300]);
  expect(requests[0]).toMatchObject({ text: 'Hello', patienceMs: 30_000 });
  for (const request of requests.slice(1)) {
    expect(request).toMatchObject({ agent, started_task: 't1', patienceMs: 0, isReadLater: true });
    expect(request).not.toHaveProperty('text');
  }
});

test('is named in the log while the run is paused', async () => {
  const recorded = scripted({ agent: agents().port });
  await run(flow(), recorded, { ports: breathing(recorded), input, taskPatienceMs: 30_000 });
  expect(recorded.entries.at(-1)).toMatchObject({
    event: 'paused',
    message: `a2a "a" waits for a task of ${agent} and reads it by ${new Date(startedAt + 61_000).toISOString()}.`,
  });
});

test('of an agent that does not respond is read later, as often as that of one that notifies', async () => {
  const silent: AgentAnswer = { state: 'working', text: '' };
  const { port } = agents({ ...works, isNotified: true }, silent, silent, done);
  const resume = resumable(flow(), { agent: port });
  expect(await resume(0)).toMatchObject({ pausedUntil: 300 });
  expect(await resume(300)).toMatchObject({ pausedUntil: 600 });
  expect(await resume(600)).toMatchObject({ pausedUntil: 900 });
  expect((await resume(900)).outcome).toMatchObject({ status: 'completed' });
});

test('of an agent that notifies is read at intervals of 5 to 15 minutes', async () => {
  const { port } = agents({ ...works, isNotified: true });
  const resume = resumable(flow(), { agent: port });
  const times: number[] = [];
  for (let at = 0; times.length < 6; ) {
    const { pausedUntil = Number.NaN } = await resume(at);
    times.push(pausedUntil - at);
    at = pausedUntil;
  }
  expect(times).toEqual([300, 300, 300, 450, 675, 900]);
});

test('is read before its time, once, when its agent has notified', async () => {
  const { port, requests } = agents({ ...works, isNotified: true }, works, done);
  const resume = resumable(flow(), { agent: port });
  await resume(0);
  expect(await resume(10, undefined, 't1')).toMatchObject({ pausedUntil: 310 });
  expect(requests).toHaveLength(2);
  expect(await resume(20, undefined, 't2')).toMatchObject({ pausedUntil: 310 });
  expect(requests).toHaveLength(2);
  expect((await resume(30, undefined, 't1')).outcome).toMatchObject({ status: 'completed' });
});

test('of a tool is read before its time when its agent has notified', async () => {
  const { port } = agents({ ...works, isNotified: true }, done);
  const tool = { a2a: agent, name: 'ask_other', description: 'Asks.' };
  const model = turns(wants(['ask_other', { message: 'one' }]), says('Both.'));
  const resume = resumable(agentFlow({ tools: [tool] }), { agent: port, model });
  await resume(0);
  expect((await resume(10, undefined, 't1')).outcome).toMatchObject({ status: 'completed' });
});

test('whose process ends during the call is read by the next one, and the message is sent once', async () => {
  const isNoted = Promise.withResolvers<void>();
  const first = scripted({
    agent: async (_request, call) => {
      await call.onTask?.('t1');
      isNoted.resolve();
      return await never();
    },
  });
  const ending = new AbortController();
  const ended = run(flow(), first, { ports: breathing(first), input, signal: ending.signal });
  await isNoted.promise;
  const snapshot = JSON.parse(first.snapshots.at(-1) ?? '');
  ending.abort();
  expect(await ended).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
  const { port, requests } = agents(done);
  const second = scripted({ agent: port });
  const outcome = await run(flow(), second, {
    ports: breathing(second),
    input,
    snapshot,
    taskPatienceMs: 30_000,
  });
  expect(outcome).toMatchObject({ status: 'completed', response: { text: 'Fine.' } });
  expect(requests).toMatchObject([{ started_task: 't1', patienceMs: 30_000 }]);
});

test('of a message that failed before is not that of the next attempt', async () => {
  const retried = flow({ retry: { max_attempts: 2, on: ['a2a.failed'], delay_ms: 0 } });
  const requests: AgentRequest[] = [];
  const recorded = scripted({
    agent: async (request, call) => {
      requests.push(request);
      await call.onTask?.(`t${requests.length}`);
      return requests.length === 1 ? failed : done;
    },
  });
  const outcome = await run(retried, recorded, { ports: breathing(recorded), input });
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(requests[1]).not.toHaveProperty('started_task');
});

test('is not read before its time', async () => {
  const { port, requests } = agents();
  const resume = resumable(flow(), { agent: port });
  await resume(0);
  expect(await resume(59)).toMatchObject({ pausedUntil: 60 });
  expect(requests).toHaveLength(1);
});

test.each([
  ['completes', done, { status: 'completed', response: { text: 'Fine.' } }],
  ['fails', failed, { status: 'failed', error: { code: 'a2a.failed' } }],
])('that %s after a pause has the same result as without one', async (_how, answer, outcome) => {
  const { port } = agents(works, works, answer);
  const resume = resumable(flow(), { agent: port });
  await resume(0);
  await resume(60);
  expect((await resume(120)).outcome).toMatchObject(outcome);
});

test('that asks after a pause asks the caller, and works again on the answer', async () => {
  const { port, requests } = agents(works, asks, works, done);
  const resume = resumable(flow(), { agent: port });
  await resume(0);
  expect((await resume(60)).outcome).toMatchObject({
    status: 'input_required',
    requests: [{ prompt: 'Which?' }],
  });
  expect(await resume(1_000, 'This one')).toMatchObject({ pausedUntil: 1_060 });
  expect(requests.at(-1)).toMatchObject({ text: 'This one', task_id: 't1', context_id: 'c1' });
  expect((await resume(1_060)).outcome).toMatchObject({ status: 'completed' });
  expect(new Set(requests.filter(({ text }) => text).map(({ key }) => key)).size).toBe(2);
});

test.each([
  ['the node', { timeout_seconds: 100 }, 100, 'timeout'],
  ['the run', {}, 3_600, 'limit.timeout'],
])('ends with the time limit of %s, and is canceled', async (_whose, parts, seconds, code) => {
  const { port, requests } = agents();
  const left: (string | undefined)[] = [];
  const resume = resumable(flow(parts), { agent: port }, (tasks) =>
    left.push(...tasks.map(({ task_id }) => task_id)),
  );
  let at = 0;
  for (;;) {
    const { outcome, pausedUntil } = await resume(at);
    if (pausedUntil === undefined) {
      expect(left).toEqual(['t1']);
      expect(outcome).toMatchObject({ status: 'failed', error: { code } });
      expect(requests.at(-1)).toMatchObject({ isReadLater: false });
      break;
    }
    at = pausedUntil;
    left.splice(0);
  }
  expect(at).toBe(seconds);
});

test('that has failed after a pause is begun anew by the next attempt', async () => {
  const { port, requests } = agents(works, failed, works, done);
  const retry = { max_attempts: 2, on: ['a2a.failed'], delay_ms: 0 };
  const resume = resumable(flow({ retry }), { agent: port });
  await resume(0);
  expect(await resume(60)).toMatchObject({ pausedUntil: 120 });
  expect((await resume(120)).outcome).toMatchObject({ status: 'completed' });
  expect(requests.map(({ text, started_task }) => text ?? started_task)).toEqual([
    'Hello',
    't1',
    'Hello',
    't1',
  ]);
});

test('is in the snapshot with all that it takes to cancel it', async () => {
  const partner = { type: 'http_bearer', hosts: ['agents.example'] };
  const checked = checkedFlow(
    {
      a: { type: 'a2a', agent: 'https://agents.example/a', message: 'Hi', connection: 'partner', next: 'b' },
      b: { type: 'end', output: {} },
    },
    { egress: ['agents.example'], connections: { partner } },
  );
  const { outcome } = await resumable(checked, { agent: agents().port })(0);
  if (!('snapshot' in outcome)) throw new Error(JSON.stringify(outcome));
  expect(findRemoteTasks(JSON.parse(JSON.stringify(outcome.snapshot)))).toEqual([
    {
      agent: 'https://agents.example/a',
      task_id: 't1',
      read_at: startedAt + 1_000,
      egress: ['agents.example'],
      connection: 'partner',
      declared: { partner },
      message_key: 'run-1.a.1..0.1',
    },
  ]);
});

test('of a tool pauses the agent, and its result goes to the model', async () => {
  const tool = { a2a: agent, name: 'ask_other', description: 'Asks.' };
  const { port, requests } = agents(works, done, works, done);
  const model = turns(
    wants(['ask_other', { message: 'one' }], ['ask_other', { message: 'two' }]),
    says('Both.'),
  );
  const prompts: Parameters<typeof reportedResults>[0][number][] = [];
  const resume = resumable(agentFlow({ tools: [tool] }), {
    agent: port,
    model: (request) => {
      prompts.push(request);
      return model(request);
    },
  });
  const first = await resume(0);
  expect(first).toMatchObject({ outcome: { status: 'waiting' }, pausedUntil: 60 });
  expect(await resume(60)).toMatchObject({ pausedUntil: 120 });
  expect((await resume(120)).outcome).toMatchObject({ status: 'completed' });
  expect(requests.map(({ text, started_task }) => text ?? started_task)).toEqual(['one', 'two', 't1', 't1']);
  expect(reportedResults(prompts)).toEqual(['Fine.', 'Fine.']);
});

test('of a tool is in the snapshot also while another tool asks a question', async () => {
  const tool = { a2a: agent, name: 'ask_other', description: 'Asks.' };
  const { port } = agents(asks, works);
  const model = turns(wants(['ask_other', { message: 'one' }], ['ask_other', { message: 'two' }]));
  const { outcome } = await resumable(agentFlow({ tools: [tool] }), { agent: port, model })(0);
  if (outcome.status !== 'input_required') throw new Error(JSON.stringify(outcome));
  expect(findRemoteTasks(outcome.snapshot)).toMatchObject([{ agent, task_id: 't1' }]);
  expect(outcome.requests).toEqual([expect.not.objectContaining({ tasks: expect.anything() })]);
});
