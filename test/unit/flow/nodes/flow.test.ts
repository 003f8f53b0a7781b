// The node type `flow`.
import { describe, expect, test } from 'vitest';
import type { Ports } from '#lib/flow/engine/ports.ts';
import type { RunOptions } from '#lib/flow/engine/run-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { createFlowPort, resumed } from '../agent/scripted-agents.ts';
import { checkedFlow, httpAnswer, run, scripted } from '../scripted.ts';

const calling = (parts: JsonObject = {}) =>
  checkedFlow({
    call: { type: 'flow', flowid: 'inner', message: 'Hi', ...parts, next: 'done' },
    done: { type: 'end', output: { call: '{{ nodes.call }}' } },
  });

const echo = checkedFlow({
  say: { type: 'end', output: { message: '{{ input.message }}', n: '{{ input.user_variables.n }}' } },
});
const asking = checkedFlow({
  ask: { type: 'ask', prompt: 'Sure?', next: 'say' },
  say: { type: 'end', output: { sure: '{{ nodes.ask }}' } },
});

test('runs the live build with its message and variables; the output is its response', async () => {
  const { port, builds } = createFlowPort({ inner: echo });
  const recorded = scripted({ flows: port });
  const outcome = await run(calling({ user_variables: { n: '{{ 1 + 1 }}' } }), recorded);
  expect(outcome).toEqual({ status: 'completed', response: { call: { message: 'Hi', n: 2 } } });
  expect(builds).toEqual([undefined]);
  expect(
    recorded.entries.filter(({ scope }) => scope === 'call.1.flow').map(({ node_id }) => node_id),
  ).toEqual(['say', 'say']);
});

test('a question of the called flow pauses the run; its answer resumes the same build', async () => {
  const first = createFlowPort({ inner: asking });
  const paused = await run(calling(), scripted({ flows: first.port }));
  expect(paused).toMatchObject({
    status: 'input_required',
    requests: [{ id: 'call.1.flow.ask.1', node_id: 'ask', prompt: 'Sure?' }],
  });
  const second = createFlowPort({ inner: asking });
  const { outcome } = await resumed(calling(), paused, { flows: second.port }, { answer: { value: 'yes' } });
  expect(outcome).toEqual({ status: 'completed', response: { call: { sure: 'yes' } } });
  expect(second.builds).toEqual(['inner-build-1']);
});

test('an error of the called flow names its node, and the caller may catch it by its code', async () => {
  const { port } = createFlowPort({
    inner: checkedFlow({ no: { type: 'fail', code: 'sold_out', message: 'None left.' } }),
  });
  expect(await run(calling(), scripted({ flows: port }))).toMatchObject({
    error: { code: 'fail.sold_out', message: 'inner, node "no": None left.', node_id: 'call' },
  });
  const caught = await run(
    calling({ catch: [{ on: ['fail.sold_out'], next: 'done' }] }),
    scripted({ flows: port }),
  );
  expect(caught.status).toBe('completed');
});

test('a flow that calls itself, or one that led to it, is stopped before it runs', async () => {
  const itself = checkedFlow({ again: { type: 'flow', flowid: 'inner' } });
  const { port } = createFlowPort({ inner: itself });
  expect(await run(calling(), scripted({ flows: port }), { chain: ['outer'] })).toMatchObject({
    error: { code: 'flow.cycle', message: expect.stringContaining('outer → inner → inner') },
  });
});

test('a flow that is not there is an error of the node', async () => {
  const { port } = createFlowPort({});
  expect(await run(calling(), scripted({ flows: port }))).toMatchObject({
    error: { code: 'flow.not_found', node_id: 'call' },
  });
});

test('what the called flow uses counts for the caller', async () => {
  const thirsty = checkedFlow({
    a: { type: 'llm', prompt: 'x', next: 'b' },
    b: { type: 'llm', prompt: 'y' },
  });
  const { port } = createFlowPort({ inner: thirsty });
  const outcome = await run(calling(), scripted({ flows: port }), { limits: { max_model_calls: 1 } });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'limit.model_calls' } });
});

test('a called flow leaves by its own ways out', async () => {
  const inner = checkedFlow(
    {
      get: { type: 'http', url: 'https://api.example.com/', next: 'say' },
      say: { type: 'end', output: '{{ nodes.get.body }}' },
    },
    { egress: ['api.example.com'] },
  );
  const { port } = createFlowPort({ inner });
  const recorded = scripted({
    flows: async (request, call) => ({
      ...(await port(request, call)),
      ports: { http: async () => httpAnswer(200, { by: 'inner' }) },
    }),
  });
  expect(await run(calling(), recorded)).toMatchObject({ response: { call: { by: 'inner' } } });
  expect(recorded.requests).toEqual([]);
});

describe('artifacts of the end of a called flow', () => {
  const reporting = checkedFlow(
    {
      say: {
        type: 'end',
        output: { n: '{{ input.user_variables.n }}' },
        artifacts: [{ name: 'report', text: 'Report {{ input.message }}' }, { data: 1 }],
      },
    },
    { output: { type: 'object', properties: { n: { type: 'integer' } } } },
  );
  const report = (place: string, text: string) => [
    { node_id: 'say', text, artifact: { artifact_id: `${place}end-1`, name: 'report', last_chunk: true } },
    { node_id: 'say', data: 1, artifact: { artifact_id: `${place}end-2`, last_chunk: true } },
  ];

  test('are handed over by the run, each call under ids of its own; the output is the response alone', async () => {
    const call = { type: 'flow', flowid: 'inner', user_variables: { n: 1 } };
    const each = { start: 'one', nodes: { one: { ...call, message: '{{ item }}' } } };
    const twice = checkedFlow({
      call: { ...call, message: 'A', next: 'each' },
      each: { type: 'map', items: '{{ ["B", "C"] }}', max_concurrency: 1, body: each, next: 'done' },
      done: { type: 'end', output: { call: '{{ nodes.call }}' } },
    });
    const recorded = scripted({ flows: createFlowPort({ inner: reporting }).port });
    expect(await run(twice, recorded)).toEqual({ status: 'completed', response: { call: { n: 1 } } });
    expect(recorded.replies).toEqual([
      ...report('call.1.flow.', 'Report A'),
      ...report('each.1.0.one.1.flow.', 'Report B'),
      ...report('each.1.1.one.1.flow.', 'Report C'),
    ]);
  });

  test('are sent again under the same keys by a run that resumes from an earlier snapshot', async () => {
    const handed = async (options: Partial<RunOptions> = {}) => {
      const said: string[] = [];
      const { ports, snapshots } = scripted({ flows: createFlowPort({ inner: reporting }).port });
      const reply: Ports['reply'] = (what, key) => said.push(`${key} ${JSON.stringify(what)}`);
      const flow = calling({ user_variables: { n: 1 } });
      await run(flow, scripted(), { ports: { ...ports, reply }, ...options });
      return { said, snapshots };
    };
    const { said, snapshots } = await handed();
    expect(said.map((each) => each.split(' ')[0])).toEqual(['call.1.flow.say.1', 'call.1.flow.say.1']);
    const again = await Promise.all(snapshots.map((text) => handed({ snapshot: JSON.parse(text) })));
    expect(again.map((each) => each.said)).toEqual([said, [], []]);
  });

  test('are not, when its response does not fit', async () => {
    const recorded = scripted({ flows: createFlowPort({ inner: reporting }).port });
    const outcome = await run(calling({ user_variables: { n: 'x' } }), recorded);
    expect(outcome).toMatchObject({ error: { code: 'output.invalid' } });
    expect(recorded.replies).toEqual([]);
  });
});

test('variables that turn out to be no object are an error', async () => {
  const { port } = createFlowPort({ inner: echo });
  const outcome = await run(calling({ user_variables: '{{ input.message }}' }), scripted({ flows: port }));
  expect(outcome).toMatchObject({ error: { code: 'flow.bad_variables' } });
});
