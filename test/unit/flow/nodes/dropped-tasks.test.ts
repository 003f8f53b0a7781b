// Tasks of other agents that nobody waits for any more are canceled: those of scopes that are not needed, of nodes
// that have failed and of runs that have ended.
import { expect, test } from 'vitest';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import { findRemoteTasks } from '#lib/flow/engine/snapshot.ts';
import type { AgentAnswer, AgentPort, RemoteTask, UsedByAgent } from '#lib/flow/ports/agent.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { breathing } from '../driven.ts';
import { checkedFlow, type Recorded, run, type Script, scripted } from '../scripted.ts';

const agent = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const input = { message: 'you', user_variables: {} };

/** The message says what the agent does; the id of a task is the message that started it. */
const behaviours: Readonly<Record<string, (id: string) => AgentAnswer>> = {
  work: (task_id) => ({ state: 'working', task_id, text: '' }),
  ask: (task_id) => ({ state: 'input_required', task_id, text: 'Which?' }),
  login: (task_id) => ({ state: 'auth_required', task_id, text: 'Log in.' }),
  fail: (task_id) => ({ state: 'failed', task_id, text: 'No.' }),
};

const answer: AgentPort = async ({ text = '', started_task }, call) => {
  const id = started_task ?? text;
  call.onTask?.();
  const [word = ''] = id.split('-');
  if (word === 'hang') return await new Promise(() => undefined);
  return behaviours[word]?.(id) ?? { state: 'completed', task_id: id, text: 'Fine.' };
};

interface Invocation {
  readonly outcome: Outcome;
  /** The tasks that the run has had canceled while it was executed, and those that it has left. */
  readonly canceled: readonly string[];
  readonly left: readonly string[];
  readonly recorded: Recorded;
}

/** Of the invocation. */
let clock: Recorded['clock'] | undefined;

const nameTask = ({ task_id, message }: RemoteTask) => task_id ?? `(${message?.text})`;

/** Each invocation resumes in a new engine from the stored snapshot, that many seconds after the start. */
function resumable(nodes: JsonObject, script: Script = {}, limits: JsonObject = {}) {
  const checked = checkedFlow(nodes, { limits });
  let snapshot: string | undefined;
  return async (seconds = 0, options: Partial<RunOptions> = {}): Promise<Invocation> => {
    const [canceled, left]: [string[], string[]] = [[], []];
    const recorded = scripted({
      agent: answer,
      cancelTask: async (task) => {
        canceled.push(nameTask(task));
        return undefined;
      },
      ...script,
    });
    clock = recorded.clock;
    clock.pass(seconds * 1_000);
    const outcome = await run(checked, recorded, {
      ports: breathing(recorded),
      input,
      taskPatienceMs: 30_000,
      timeoutMs: 3_600_000,
      onTasks: (tasks) => left.push(...tasks.map(nameTask)),
      ...(snapshot !== undefined && { snapshot: JSON.parse(snapshot) }),
      ...options,
    });
    if ('snapshot' in outcome) snapshot = JSON.stringify(outcome.snapshot);
    return { outcome, canceled, left, recorded };
  };
}

const ask = (message: string, more: JsonObject = {}) => ({ type: 'a2a', agent, message, ...more });
const block = (id: string, node: JsonObject) => ({ start: id, nodes: { [id]: node } });
const failing = { type: 'fail', message: 'No.' };
const nap = (seconds: number, next: string) => ({ type: 'wait', seconds, next });
/** Waits for 60 s, and fails then. */
const failingLater = { start: 'nap', nodes: { nap: nap(60, 'no'), no: failing } };
const end = { type: 'end', output: {} };
const caught = { catch: [{ on: ['*'], next: 'after' }] };
/** Another node after the one that has failed, so that the run is not over with it. */
const after = { type: 'transform', output: 1, next: 'end' };

const branches = (tasks: JsonObject, more: JsonObject = {}) => ({
  all: { type: 'parallel', branches: tasks, next: 'end', ...more },
  ...(Object.keys(more).length > 0 && { after }),
  end,
});

test.each<[string, JsonObject, readonly string[]]>([
  ['its own', { no: failingLater, a: block('ask', ask('work-1')) }, ['work-1']],
  [
    'those of all branches',
    { no: failingLater, a: block('x', ask('work-1')), b: block('y', ask('work-2')) },
    ['work-1', 'work-2'],
  ],
  ['one that asks', { no: failingLater, a: block('ask', ask('ask-1')) }, ['ask-1']],
  [
    'one inside further scopes',
    { no: failingLater, a: block('in', { type: 'parallel', branches: { b: block('ask', ask('work-1')) } }) },
    ['work-1'],
  ],
])('a branch that fails while others are paused ends %s', async (_what, tasks, expected) => {
  const resume = resumable(branches(tasks));
  const paused = await resume();
  expect(paused).toMatchObject({ canceled: [] });
  expect(paused.left).toEqual(expected);
  const failed = await resume(60);
  expect(failed.outcome).toMatchObject({ status: 'failed' });
  expect([...failed.left].sort()).toEqual(expected);
  expect(failed.canceled).toEqual([]);
});

test.each<[string, JsonObject]>([
  [
    'in the invocation that began it',
    {
      no: { start: 'x', nodes: { x: { type: 'transform', output: 1, next: 'y' }, y: failing } },
      a: block('ask', ask('work-1')),
    },
  ],
  ['later', { no: failingLater, a: block('ask', ask('work-1')) }],
])('an error that is caught cancels the task of another branch once, %s', async (_when, tasks) => {
  const resume = resumable(branches(tasks, caught));
  const canceled: string[] = [];
  for (const seconds of [0, 60]) {
    const { outcome, ...invocation } = await resume(seconds);
    canceled.push(...invocation.canceled);
    if (outcome.status === 'waiting') continue;
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(invocation.left).toEqual([]);
    break;
  }
  expect(canceled).toEqual(['work-1']);
});

test('a snapshot without the branch is stored before its task is canceled', async () => {
  const steps: string[] = [];
  const resume = resumable(branches({ no: failingLater, a: block('ask', ask('work-1')) }, caught), {
    checkpoint: (snapshot) => {
      const tasks = findRemoteTasks(JSON.parse(JSON.stringify(snapshot))).map(nameTask);
      const isDropped = (snapshot.dropped ?? []).length > 0;
      steps.push(`${isDropped ? 'dropped' : 'kept'} ${tasks.join()}`);
    },
    cancelTask: async (task) => void steps.push(`cancel ${nameTask(task)}`),
  });
  await resume();
  steps.splice(0);
  await resume(60);
  const [cancel, dropped] = [steps.indexOf('cancel work-1'), steps.indexOf('dropped work-1')];
  expect(dropped).toBeGreaterThanOrEqual(0);
  expect(cancel).toBeGreaterThan(dropped);
  expect(steps.slice(cancel + 1)).toEqual(['kept ']);
});

test('a run that is resumed from that snapshot asks again', async () => {
  const snapshots: string[] = [];
  const script: Script = {
    checkpoint: (snapshot) => void (snapshot.dropped && snapshots.push(JSON.stringify(snapshot))),
  };
  const nodes = branches({ no: failingLater, a: block('ask', ask('work-1')) }, caught);
  const resume = resumable(nodes, script);
  await resume();
  await resume(60);
  const { outcome, canceled } = await resumable(nodes)(61, { snapshot: JSON.parse(snapshots[0] ?? '') });
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(canceled).toEqual(['work-1']);
});

test('the branch that is first ends the tasks of the others', async () => {
  const first = { start: 'nap', nodes: { nap: nap(60, 'done'), done: { type: 'transform', output: 1 } } };
  const tasks = { a: block('ask', ask('work-1')), first, b: block('bsk', ask('work-2')) };
  const resume = resumable(branches(tasks, { join: 'first', next: 'after' }));
  await resume();
  const { outcome, canceled, left } = await resume(60);
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(canceled).toEqual(['work-1', 'work-2']);
  expect(left).toEqual([]);
});

test('an item of a list that fails ends the tasks of the items after it', async () => {
  const pick = {
    type: 'switch',
    cases: [{ when: '{{ index = 0 }}', next: 'nap' }],
    default: 'ask',
  };
  const body = {
    start: 'pick',
    nodes: { pick, nap: nap(60, 'no'), no: failing, ask: ask('work-{{ index }}') },
  };
  const nodes = { each: { type: 'map', items: [1, 2, 3], body, ...caught, next: 'end' }, after, end };
  const resume = resumable(nodes);
  expect((await resume()).left).toEqual(['work-1', 'work-2']);
  const { outcome, canceled } = await resume(60);
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(canceled).toEqual(['work-1', 'work-2']);
});

test('a task that needs credentials, for which the node fails, is canceled', async () => {
  const { outcome, canceled } = await resumable({
    a: ask('login-1', { ...caught, next: 'end' }),
    after,
    end,
  })();
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(canceled).toEqual(['login-1']);
});

test('a task that has failed is not canceled', async () => {
  const { canceled, left } = await resumable({ a: ask('fail-1', { ...caught, next: 'end' }), after, end })();
  expect([...canceled, ...left]).toEqual([]);
});

test('a message that has no answer within the time of its node is passed on to cancel its task', async () => {
  const node = ask('hang-1', { timeout_seconds: 10, ...caught, next: 'end' });
  const resume = resumable(
    { a: node, after, end },
    {
      agent: async (request, call) => {
        setImmediate(() => clock?.pass(10_000));
        return await answer(request, call);
      },
    },
  );
  const { outcome, canceled } = await resume();
  expect(outcome).toMatchObject({ status: 'completed' });
  expect(canceled).toEqual(['(hang-1)']);
});

test('a run that is stopped leaves its tasks to whoever knows whether another process resumes it', async () => {
  const stop = new AbortController();
  const resume = resumable(branches({ a: block('ask', ask('work-1')), b: block('bsk', ask('hang-1')) }), {
    agent: async (request, call) => {
      if (request.text === 'hang-1') setImmediate(() => stop.abort());
      return await answer(request, call);
    },
  });
  const { outcome, canceled, left } = await resume(0, { signal: stop.signal });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
  expect(canceled).toEqual([]);
  expect(left).toEqual(['work-1', '(hang-1)']);
});

test('what a canceled task has used counts against the limits of the run', async () => {
  const used: UsedByAgent = { steps: 20, modelCalls: 0, tokens: 0 };
  const nodes = {
    ...branches({ no: failingLater, a: block('ask', ask('work-1')) }, caught),
    after: nap(60, 'end'),
  };
  const script: Script = { cancelTask: async () => used };
  const [within, beyond] = [
    resumable(nodes, script, { max_steps: 30 }),
    resumable(nodes, script, { max_steps: 20 }),
  ];
  for (const seconds of [0, 60]) await Promise.all([within(seconds), beyond(seconds)]);
  expect((await within(120)).outcome).toMatchObject({ status: 'completed' });
  expect((await beyond(120)).outcome).toMatchObject({ status: 'failed', error: { code: 'limit.steps' } });
});
