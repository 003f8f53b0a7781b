// Runs that are saved as tests of their flows: each test passes with the same flow, and fails with one that does
// something else.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { ExecutionWatch, WatchedExecution } from '#lib/flow/ports/execution-watch.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { lastRecords } from '#lib/run/executions.ts';
import type { KeptExecution } from '#lib/run/kept-execution.ts';
import { toRecord } from '#lib/run/kept-record.ts';
import { listNodes } from '#lib/run/saved-flow.ts';
import { type SavedTest, writeTest } from '#lib/run/write-test.ts';
import { agentSampleRuns } from '../flow/agent-sample-runs.ts';
import { driven } from '../flow/driven.ts';
import { sample } from '../flow/sample-flow.ts';
import { sampleRuns } from '../flow/sample-runs.ts';
import { checkedFlow, emptyInput, httpAnswer, modelAnswer, type Script } from '../flow/scripted.ts';

type Drive = NonNullable<Parameters<typeof driven>[2]>;

/** Runs a flow with its values kept, and saves the run. */
async function save(flow: Flow, script: Script, drive: Drive = {}): Promise<ReturnType<typeof writeTest>> {
  const records: KeptExecution[] = [];
  const { outcome, invocations } = await driven(flow, { ...script, watch: recording(records) }, drive);
  const { input = emptyInput } = drive;
  return writeTest({
    nodes: listNodes(JSON.parse(JSON.stringify(flow))),
    records: lastRecords(records),
    logs: invocations.flatMap(({ entries }) => entries),
    end:
      outcome.status === 'completed'
        ? { status: 'completed', response: outcome.response }
        : { status: 'failed', code: outcome.status === 'failed' ? outcome.error.code : outcome.status },
    endedAt: new Date().toISOString(),
    input: JSON.parse(JSON.stringify(input)),
    name: 'saved',
  });
}

function recording(records: KeptExecution[]): ExecutionWatch {
  const open = new Map<string, WatchedExecution>();
  return {
    begins: async (execution) => void open.set(execution.key, execution),
    ends: (key, end) => {
      const execution = open.get(key);
      if (execution) records.push(toRecord({ execution, input: undefined, models: [], end, at: Date.now() }));
    },
  };
}

/** As it would be registered. */
async function report(flow: Flow, saved: ReturnType<typeof writeTest>) {
  const checked = checkFlow({ ...JSON.parse(JSON.stringify(flow)), tests: [saved] });
  if (!checked.ok) throw new Error(JSON.stringify([checked.errors, saved], null, 2));
  const { tests } = await testFlow(checked.flow, { clock, timeoutMs: 10_000 });
  return tests.map(({ passed, error }) => ({ passed, ...(error !== undefined && { error, saved }) }));
}

const passes = [{ passed: true }];
const isSaved = (saved: ReturnType<typeof writeTest>): saved is SavedTest => 'expect' in saved;

test.each([...sampleRuns, ...agentSampleRuns].map((run) => [run.sample, run.what, run] as const))(
  '%s %s: saved as a test, it passes',
  async (_name, _what, { sample: name, input, script, answers = {} }) => {
    const flow = sample(name);
    const saved = await save(flow, script, {
      input: { ...emptyInput, ...input },
      answerTo: ({ id }) => answers[id] ?? `no answer to ${id}`,
    });
    expect(await report(flow, saved)).toEqual(passes);
  },
);

const fetching = {
  fetch: {
    type: 'http',
    url: 'https://a.example/{{ item }}',
    retry: { max_attempts: 2, delay_ms: 1, on: ['http.5xx'] },
    catch: [{ on: ['*'], next: 'none' }],
    next: 'got',
  },
  none: { type: 'transform', output: 'none' },
  got: { type: 'transform', output: '{{ nodes.fetch.body }}' },
};
const mapping = (body: JsonObject, start: string, items = '{{ [1, 2, 3] }}') => ({
  each: { type: 'map', items, body: { start, nodes: body }, next: 'done' },
  done: { type: 'end', output: { all: '{{ nodes.each }}' } },
});
const egress = { egress: ['a.example'] };
const httpScript: Script = {
  http: ({ url }) => (url.endsWith('/2') ? httpAnswer(503) : httpAnswer(200, { at: url })),
  pauseMsMax: 10,
};

describe('what came from outside', () => {
  test('is distinguished by item in a map, also where one fails', async () => {
    const flow = checkedFlow(mapping(fetching, 'fetch'), egress);
    const saved = await save(flow, httpScript);
    expect(saved).toMatchObject({
      mocks: { fetch: { by_item: [{ status: 200 }, { error: { code: 'http.503' } }, { status: 200 }] } },
    });
    expect(await report(flow, saved)).toEqual(passes);
  });

  test('is the output of the outer map where maps are nested', async () => {
    const inner = mapping(fetching, 'fetch').each;
    const flow = checkedFlow(
      mapping(
        { inner: { ...inner, next: 'out' }, out: { type: 'transform', output: '{{ nodes.inner }}' } },
        'inner',
        '{{ [1, 2] }}',
      ),
      egress,
    );
    const saved = await save(flow, httpScript);
    expect(isSaved(saved) && Object.keys(saved.mocks)).toEqual(['each']);
    expect(await report(flow, saved)).toEqual(passes);
  });

  test('is in order in a loop, with the attempts of one that failed', async () => {
    let calls = 0;
    const flow = checkedFlow(
      {
        fetch: {
          type: 'http',
          url: 'https://a.example/',
          retry: { max_attempts: 2, delay_ms: 1, on: ['http.5xx'] },
          catch: [{ on: ['*'], next: 'again' }],
          next: 'done',
        },
        again: { type: 'transform', output: 1, next: 'fetch' },
        done: { type: 'end', output: { body: '{{ nodes.fetch.body }}' } },
      },
      egress,
    );
    const saved = await save(flow, {
      http: () => httpAnswer(++calls > 2 ? 200 : 503, 'fine'),
      pauseMsMax: 10,
    });
    expect(saved).toMatchObject({
      mocks: { fetch: { in_order: [{ error: {} }, { error: {} }, { status: 200 }] } },
    });
    expect(await report(flow, saved)).toEqual(passes);
  });

  test('a value that is another each time is a mock, too', async () => {
    const flow = checkedFlow({
      id: { type: 'transform', output: { id: '{{ $uuid() }}', n: '{{ $random() }}' }, next: 'done' },
      done: { type: 'end', output: { id: '{{ nodes.id.id }}', n: '{{ nodes.id.n }}' } },
    });
    expect(await report(flow, await save(flow, {}))).toEqual(passes);
  });
});

describe('what people and systems sent', () => {
  const waiting = checkedFlow({
    paid: {
      type: 'wait',
      event: 'paid',
      key: '{{ input.message }}',
      timeout_seconds: 60,
      on_timeout: 'again',
      next: 'done',
    },
    again: { type: 'ask', prompt: 'Again?', next: 'paid' },
    done: { type: 'end', output: { by: '{{ nodes.paid.data.by }}' } },
  });
  const event = { event: 'paid', key: 'order 7', id: 'evt_1', data: { by: 'card' } };
  const saveVisits = (visits: readonly (readonly [string, Json])[], flow = waiting) => {
    const seen = new Map<string, number>();
    const executions = visits.map(([node_id, output]) => {
      const visit = (seen.get(node_id) ?? 0) + 1;
      seen.set(node_id, visit);
      return { node_id, visit, output, execution: `${node_id}.${visit}` };
    });
    const entry = { time: '2026-11-21T09:00:00Z', level: 'info', message: '' } as const;
    return writeTest({
      nodes: listNodes(JSON.parse(JSON.stringify(flow))),
      records: executions.map((one) => ({
        ...one,
        node_type: '',
        status: 'completed',
        ended_at: entry.time,
      })),
      logs: executions.flatMap(({ node_id }, seq) => [
        { ...entry, seq, node_id, event: 'started', status: 'running' },
        { ...entry, seq, node_id, event: 'completed', status: 'completed' },
      ]),
      end: { status: 'completed', response: { by: 'card' } },
      endedAt: entry.time,
      input: { message: 'order 7', user_variables: {} },
      name: 'saved',
    });
  };

  test('is an event with its key', async () => {
    const saved = saveVisits([
      ['paid', event],
      ['done', null],
    ]);
    expect(saved).toMatchObject({ events: [{ event: 'paid', key: 'order 7', data: { by: 'card' } }] });
    expect(await report(waiting, saved)).toEqual(passes);
  });

  test('and not before its time: an event after one that was not sent cannot be distinguished', () => {
    const saved = saveVisits([
      ['paid', null],
      ['again', 'yes'],
      ['paid', event],
      ['done', null],
    ]);
    expect(saved).toEqual({ problem: expect.stringContaining('"paid" was not sent in time before') });
  });
});

describe('the expectation', () => {
  const asking = {
    write: { type: 'llm', prompt: 'Write.', next: 'done' },
    done: { type: 'end', output: { text: '{{ nodes.write }}', kind: 'a', 'two words': { '}}': [1] } } },
  };
  test('compares what the flow gives, and of texts of models that they are texts', async () => {
    const flow = checkedFlow(asking);
    const saved = await save(flow, { model: () => modelAnswer('Some free text.') });
    expect(saved).toMatchObject({
      expect:
        '{{ status = "completed" and [path[$ in ["write", "done"]]] = ["write", "done"] and $type(response.text) = "string" and response.kind = "a" and response.`two words` = { "}}": [1] } }}',
    });
    expect(await report(flow, saved)).toEqual(passes);
    const other = checkedFlow({ ...asking, done: { type: 'end', output: { text: 'x', kind: 'b' } } });
    expect(await report(other, saved)).toMatchObject([{ passed: false }]);
  });

  test('of a run that failed is its code', async () => {
    const flow = checkedFlow({ stop: { type: 'fail', code: 'no_stock', message: 'No.' } });
    const saved = await save(flow, {});
    expect(await report(flow, saved)).toEqual(passes);
    expect(isSaved(saved) && saved.expect).toContain('status = "failed" and [path');
  });

  test('compares types where something was redacted', async () => {
    const flow = checkedFlow(
      {
        get: { type: 'http', url: 'https://a.example/', next: 'done' },
        done: { type: 'end', output: { got: '{{ nodes.get.body }}' } },
      },
      egress,
    );
    const saved = await save(flow, { http: () => httpAnswer(200, { password: 'hunter2', n: 1 }) });
    expect(JSON.stringify(saved)).not.toContain('hunter2');
    expect(await report(flow, saved)).toEqual(passes);
  });
});

test('a run whose values were not kept cannot be saved, and names the execution', async () => {
  const logs = (
    await driven(
      checkedFlow({ write: { type: 'llm', prompt: 'x', next: 'done' }, done: { type: 'end', output: {} } }),
      {},
    )
  ).invocations.flatMap(({ entries }) => entries);
  const nodes = new Map([
    ['write', { type: 'llm' }],
    ['done', { type: 'end' }],
  ]);
  expect(
    writeTest({
      nodes,
      records: [],
      logs,
      end: { status: 'completed', response: {} },
      endedAt: '',
      input: {},
      name: 'x',
    }),
  ).toEqual({ lacking: 'write.1' });
});
