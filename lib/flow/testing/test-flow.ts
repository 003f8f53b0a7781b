// Runs the tests that a flow brings along, and says of each whether what it expects is true. Needs nothing but a clock.
import type { Json, JsonObject } from '#lib/json.ts';
import { jsonBytes } from '#lib/json-bytes.ts';
import { type CompiledFlow, compileFlow } from '../compile.ts';
import { expression } from '../expression/evaluate.ts';
import type { Flow } from '../flow.ts';
import { inputScope } from '../input-output.ts';
import { limits } from '../limits.ts';
import { preview } from '../log-preview.ts';
import { asNodeError, NodeError } from '../node-error.ts';
import type { Ports } from '../ports.ts';
import type { Reply } from '../saying.ts';
import { expectation, type FlowTest } from './flow-test.ts';
import { type Ended, inputOf, type Rehearsal, rehearse, type Stage } from './rehearse.ts';
import type { Got, TestReport, TestResult } from './report.ts';

export interface TestOptions {
  readonly clock: Ports['clock'];
  /** Values of the build's environment. */
  readonly env?: JsonObject;
  /** For all tests together. */
  readonly timeoutMs: number;
}

/** One after the other, so that a report is the same each time. */
export async function testFlow(flow: Flow, { clock, env = {}, timeoutMs }: TestOptions): Promise<TestReport> {
  const compiled = compileFlow(flow);
  const endAt = clock.monotonic() + timeoutMs;
  const tests: TestResult[] = [];
  for (const [index, test] of (flow.tests ?? []).entries()) {
    const left = Math.min(endAt - clock.monotonic(), limits.testMs);
    const name = test.name ?? `test ${index + 1}`;
    const labels = { name, expectation: test.expect };
    tests.push(
      left > 0
        ? { ...labels, ...(await judged(compiled, test, { clock, env, timeoutMs: left })) }
        : { ...labels, passed: false, path: [], error: 'Not run: the time for the tests of a flow is up.' },
    );
  }
  return { passed: tests.every(({ passed }) => passed), tests };
}

type Judgement = Omit<TestResult, 'name' | 'expectation'>;

async function judged(flow: CompiledFlow, test: FlowTest, stage: Stage): Promise<Judgement> {
  const rehearsal = await rehearse(flow, test, stage);
  const { ending, path } = rehearsal;
  if (ending.status === 'stuck') return { passed: false, path, error: ending.why };
  const value = await evaluated(test, rehearsal, ending, stage);
  if (value === true) return { passed: true, path };
  const error =
    value instanceof NodeError
      ? value.message
      : `Expected true, but the expectation gives ${preview(value, 200)}.`;
  return { passed: false, got: shown(endOf(ending)), path, error };
}

async function evaluated(
  test: FlowTest,
  { path, nodes, state, replies }: Rehearsal,
  ending: Ended,
  { env, clock }: Stage,
): Promise<Json | NodeError> {
  const run = { id: 'test', started_at: new Date(0).toISOString(), turn: 1 };
  const before = { input: inputScope(inputOf(test)), state, env, nodes, run };
  const { status, response = {}, error } = endOf(ending);
  const failure = error ? { ...error, node_id: error.node_id ?? null } : null;
  const after = { status, response, error: failure, path, replies: replies.map(said) };
  try {
    return await expression(expectation(test))({
      scope: { ...before, ...after },
      pace: () => undefined,
      cpuMs: clock.cpuMs,
      made: 0,
    });
  } catch (thrown) {
    return asNodeError(thrown);
  }
}

const said = ({ node_id, text, data }: Reply): JsonObject => ({
  node_id,
  ...(text !== undefined && { text }),
  ...(data !== undefined && { data }),
});

function endOf(ending: Ended): Got {
  if (ending.status === 'completed') return { status: 'completed', response: ending.response };
  const { code, message, node_id } = ending.error;
  return { status: 'failed', error: { code, message, ...(node_id !== undefined && { node_id }) } };
}

/** A report is read by people: of a long response they get the beginning. */
function shown(got: Got): Got {
  const { response } = got;
  if (!response || jsonBytes(response, gotBytesMax) <= gotBytesMax) return got;
  return { ...got, response: { beginning: preview(response) } };
}

const gotBytesMax = 16 * 1024;
