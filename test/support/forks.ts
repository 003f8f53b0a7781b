// Runs that are forked, and flows for them.
import type { JsonObject } from '#lib/json/json.ts';
import { flow, newRow } from './builders.ts';
import { newCaller, type TestCaller, unique } from './caller.ts';
import { call } from './client.ts';
import { idle } from './control.ts';
import type { TestAgent } from './flows.ts';
import { newModelScript, scriptedModels } from './model-script.ts';
import { resumeRun } from './run-calls.ts';

export const fork = ({ key }: Pick<TestCaller, 'key'>, workflow_id: string, body: object) =>
  call('forkRun', { key, params: { workflow_id }, body });

export const detail = async ({ key }: Pick<TestCaller, 'key'>, workflow_id: string) =>
  (await call('getRunDetail', { key, params: { workflow_id } })).body;

export type Nodes = Readonly<Record<string, JsonObject>>;
export const written = (nodes: Nodes, state: JsonObject = {}) =>
  flow({ start: Object.keys(nodes)[0] ?? '', nodes, state, models: scriptedModels });

/** A build that is only in `test`, where values are kept. */
export async function testAgent(nodes: Nodes, state?: JsonObject): Promise<TestAgent> {
  const owner = await newCaller();
  const flowid = unique('flow');
  const { a2aregistryid } = await newRow(owner, { flowid, flow: written(nodes, state) });
  return { ...owner, flowid, a2aregistryid };
}

/** From now on the one that `test` has. */
export const newBuild = async (agent: TestAgent, nodes: Nodes, state?: JsonObject) =>
  await newRow(agent, { flowid: agent.flowid, flow: written(nodes, state) });

export const run = async (agent: TestAgent, message = '') => {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'test' };
  return (await call('triggerFlow', { key: agent.key, params, body: { message } })).body;
};

/** The new run, once it has ended or paused. */
export async function forked(agent: TestAgent, workflow_id: string, body: object) {
  const answer = await fork(agent, workflow_id, body);
  await idle();
  return await detail(agent, answer.body.workflow_id);
}

export const refused = async (agent: TestAgent, workflow_id: string, body: object) =>
  (await fork(agent, workflow_id, body)).problem;

/** A model, an answer, a map and a variable come before `price`. */
export const ordering: Nodes = {
  write: { type: 'llm', prompt: '{{ input.message }}', assign: { draft: '{{ nodes.write }}' }, next: 'size' },
  size: { type: 'ask', prompt: 'Which size?', choices: ['S', 'M'], next: 'each' },
  each: {
    type: 'map',
    items: '{{ [1, 2] }}',
    body: { start: 'double', nodes: { double: { type: 'transform', output: '{{ item * 2 }}' } } },
    next: 'price',
  },
  price: { type: 'transform', output: '{{ $error("No price.") }}', next: 'done' },
  done: {
    type: 'end',
    output: { text: '{{ state.draft }}', size: '{{ nodes.size }}', list: '{{ nodes.each }}' },
  },
};
export const priced: Nodes = { ...ordering, price: { type: 'transform', output: 7, next: 'done' } };

/** The run of `ordering` that has failed at `price`. */
export async function ordered() {
  const agent = await testAgent(ordering, { draft: '' });
  const script = newModelScript();
  const started = run(agent, script.prompt);
  await script.answer('A red shirt.');
  const { workflow_id } = await started;
  await resumeRun(agent, workflow_id, { answer: 'M' });
  await idle();
  return { agent, workflow_id };
}

export const loop: Nodes = {
  step: {
    type: 'transform',
    output: '{{ state.n }}',
    assign: { n: '{{ state.n + 1 }}' },
    max_visits: 5,
    next: 'again',
  },
  again: { type: 'switch', cases: [{ when: '{{ state.n < 3 }}', next: 'step' }], default: 'done' },
  done: { type: 'end', output: { n: '{{ state.n }}', last: '{{ nodes.step }}' } },
};
