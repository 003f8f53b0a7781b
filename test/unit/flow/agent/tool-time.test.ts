// The time limit of a tool: when it passes, that is reported to the model as a failure, and the agent
// continues.
import { describe, expect, test } from 'vitest';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { RunOptions } from '#lib/flow/engine/run-flow.ts';
import type { HttpRequest } from '#lib/flow/ports/http.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { breathing } from '../driven.ts';
import {
  checkedFlow,
  httpAnswer,
  never,
  quiet,
  type Recorded,
  run,
  type Script,
  scripted,
} from '../scripted.ts';
import {
  agentFlow,
  createFlowPort,
  question,
  readAgentOutput,
  reportedResults,
  resumed,
  says,
  turns,
  wants,
} from './scripted-agents.ts';

const around = { egress: ['api.example.com', 'kb.example', 'agents.example'] };
const named = { name: 'slow', description: 'Takes long.', timeout_seconds: 5 };
const url = 'https://api.example.com/{{ args.place }}';
const parameters = { type: 'object', properties: { place: { type: 'string' } } };
const request = { http: { url }, ...named, parameters };
const timeout = 'Error: timeout: The tool passed its time limit of 5 s.';
const asked = { message: 'x' };

const waiting = createFlowPort({
  waiting: checkedFlow({ a: { type: 'http', url: 'https://api.example.com/never' } }, around),
});

/** The ports never answer, whatever becomes of the signal that they are given. */
function silent(answer: (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>) {
  const calls: NodeCall[] = [];
  const waits = (_request: unknown, call: NodeCall) => {
    calls.push(call);
    return never<never>();
  };
  const script: Script = {
    model: (request, call) => (request.system === 'Think.' ? waits(request, call) : answer(request)),
    http: waits,
    agent: waits,
    discover: async () => [{ agent: 'reg_a', name: 'A', description: 'A' }],
    flows: waiting.port,
    mcp: {
      list: async () => [{ name: 'slow', description: 'Searches.', parameters: { type: 'object' } }],
      call: (_server, _tool, _args, call) => waits(undefined, call),
    },
  };
  return { calls, recorded: scripted(script) };
}

const begun = (flow: Flow, recorded: Recorded, options: Partial<RunOptions> = {}) =>
  run(flow, recorded, { ...question, ...options, ports: breathing(recorded) });

/** Time passes once the tools are being used, and what that leads to has happened. */
async function passed(seconds: number, { clock }: Recorded) {
  while (!clock.sleeping().some((ms) => ms <= 8_000)) await quiet();
  clock.pass(seconds * 1000);
  await quiet();
}

describe('a tool of any kind that does not answer in its time is reported as a failure:', () => {
  const kinds: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['http', { tools: [request] }, { place: 'x' }],
    ['mcp', { tools: [{ mcp: 'https://kb.example/mcp', timeout_seconds: 5 }] }, {}],
    ['flow', { tools: [{ flow: 'waiting', ...named }] }, asked],
    ['a2a', { tools: [{ a2a: 'https://agents.example/a', ...named }] }, asked],
    ['discover', { tools: [{ discover: { tags: ['a'] }, ...named }] }, { agent: 'reg_a', ...asked }],
    ['an agent inside the agent', { agents: [{ ...named, instructions: 'Think.' }] }, asked],
  ];

  test.each(kinds)('%s', async (_kind, agent, args) => {
    const { calls, recorded } = silent(turns(wants(['slow', args]), says('It takes too long.')));
    const running = begun(agentFlow(agent, around), recorded);
    await passed(4, recorded);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false]);
    await passed(1, recorded);
    expect(readAgentOutput(await running)).toMatchObject({ text: 'It takes too long.', turns: 2 });
    expect(reportedResults(recorded.prompts)).toEqual([timeout]);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(recorded.clock.sleeping()).toEqual([]);
    expect(recorded.entries).toContainEqual(
      expect.objectContaining({
        event: 'tool',
        level: 'warn',
        message: expect.stringContaining('slow failed: timeout'),
      }),
    );
  });
});

test('the other tools of the turn are not ended with it', async () => {
  const quick = { ...request, name: 'quick', timeout_seconds: 60 };
  const opened = Promise.withResolvers<void>();
  const recorded = scripted({
    model: turns(wants(['slow', { place: 'slow' }], ['quick', { place: 'quick' }]), says('ok')),
    http: async ({ url }: HttpRequest) => {
      if (url.endsWith('slow')) return await never();
      await opened.promise;
      return httpAnswer(200, 'late');
    },
  });
  const running = begun(agentFlow({ tools: [request, quick] }, around), recorded);
  await passed(5, recorded);
  opened.resolve();
  expect(readAgentOutput(await running)).toMatchObject({ text: 'ok' });
  expect(reportedResults(recorded.prompts)).toEqual([timeout, '{"status":200,"body":"late"}']);
});

test('an agent inside the agent ends with its time, whatever its own tools do', async () => {
  const child = {
    name: 'helper',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [request],
    timeout_seconds: 7,
  };
  const look = wants(['slow', { place: 'x' }]);
  const { recorded } = silent(turns(wants(['helper', asked]), look, look, says('Nobody helped.')));
  const running = begun(agentFlow({ agents: [child] }, around), recorded);
  await passed(5, recorded);
  expect(reportedResults(recorded.prompts)).toEqual([timeout]);
  await passed(2, recorded);
  expect(readAgentOutput(await running)).toMatchObject({ text: 'Nobody helped.' });
  expect(reportedResults(recorded.prompts)).toEqual([
    'Error: timeout: The tool passed its time limit of 7 s.',
  ]);
});

test('the time of the node runs on while its tools run, and ends the node', async () => {
  const look = wants(['slow', { place: 'x' }]);
  const { recorded } = silent(turns(look, look));
  const running = begun(agentFlow({ tools: [request], timeout_seconds: 8 }, around), recorded);
  await passed(5, recorded);
  await passed(3, recorded);
  expect(await running).toMatchObject({
    error: { code: 'timeout', message: 'The node passed its time limit of 8 s.', node_id: 'work' },
  });
});

test('the time that an approval takes is not the time of the tool', async () => {
  const flow = agentFlow({ tools: [{ ...request, approval: 'always' }] }, around);
  const first = scripted({ model: turns(wants(['slow', { place: 'x' }])) });
  const outcome = await run(flow, first, question);
  const second = await resumed(
    flow,
    outcome,
    { model: turns(says('Done.')), http: () => httpAnswer(200, 'x') },
    { answer: { value: 'approve' } },
  );
  expect(reportedResults(second.prompts)).toEqual(['{"status":200,"body":"x"}']);
});

test('a paused flow takes no time: it has all its time again when it resumes', async () => {
  const { port } = createFlowPort({
    asking: checkedFlow(
      {
        a: { type: 'ask', prompt: 'Go on?', next: 'b' },
        b: { type: 'http', url: 'https://api.example.com/b' },
      },
      around,
    ),
  });
  const flow = agentFlow({ tools: [{ flow: 'asking', ...named }] }, around);
  const first = scripted({ flows: port, model: turns(wants(['slow', asked])) });
  const outcome = await run(flow, first, question);
  const recorded = scripted({ flows: port, model: turns(says('Too late.')), http: () => never() });
  if (outcome.status !== 'input_required') throw new Error(JSON.stringify(outcome));
  const snapshot = JSON.parse(JSON.stringify(outcome.snapshot));
  const running = begun(flow, recorded, { snapshot, answer: { value: 'yes' } });
  await passed(4, recorded);
  expect(recorded.prompts).toEqual([]);
  await passed(1, recorded);
  expect(readAgentOutput(await running)).toMatchObject({ text: 'Too late.' });
  expect(reportedResults(recorded.prompts)).toEqual([timeout]);
});

test('a tool that the time limit of the node has ended has no result: the next attempt uses it again', async () => {
  let uses = 0;
  const recorded = scripted({
    model: turns(wants(['slow', { place: 'x' }]), says('Done.')),
    http: (_request, { signal }) =>
      uses++ > 0
        ? httpAnswer(200, 'late')
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
  });
  const { timeout_seconds: _own, ...unlimited } = request;
  const agent = {
    tools: [unlimited],
    timeout_seconds: 5,
    retry: { max_attempts: 2, delay_ms: 100, on: ['timeout'] },
  };
  const running = begun(agentFlow(agent, around), recorded);
  await passed(5, recorded);
  await passed(1, recorded);
  expect(await running).toMatchObject({ status: 'completed' });
  expect(uses).toBe(2);
  expect(reportedResults(recorded.prompts)).toEqual([JSON.stringify({ status: 200, body: 'late' })]);
});
