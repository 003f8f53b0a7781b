// Runs the tests of a flow and reports for each whether its expectation is true. Needs nothing but a clock.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { compileFlow } from '../definition/compile.ts';
import type { Flow } from '../definition/flow.ts';
import { expectation, type FlowTest } from '../definition/flow-test.ts';
import { assembleArtifacts, type RunArtifact } from '../engine/artifacts.ts';
import { endArtifacts } from '../engine/end-artifacts.ts';
import { inputScope } from '../engine/input-output.ts';
import { preview } from '../engine/log-preview.ts';
import type { CompiledFlow } from '../engine/node-context.ts';
import type { Ports } from '../engine/ports.ts';
import { type ComputePort, computeFor } from '../expression/compute.ts';
import { expression } from '../expression/evaluate.ts';
import { limits } from '../format/limits.ts';
import { asNodeError, NodeError } from '../format/node-error.ts';
import type { CodePort } from '../ports/code.ts';
import { type DryRun, type DryRunOptions, dryRun, type Ended, toFlowInput } from './dry-run.ts';
import type { Got, TestReport, TestResult } from './report.ts';

export interface TestOptions {
  readonly clock: Ports['clock'];
  /** As in `Ports`. */
  readonly compute?: ComputePort;
  /** As in `Ports`; without it, nodes with code need mocks. */
  readonly code?: CodePort;
  /** Values of the build's environment. */
  readonly env?: JsonObject;
  /** For all tests together. */
  readonly timeoutMs: number;
  /** Processor time so far, in milliseconds; without it only time is limited. */
  readonly cpuMs?: () => number;
}

/** Runs the tests one after the other, so that a report is the same each time. */
export async function testFlow(flow: Flow, options: TestOptions): Promise<TestReport> {
  const { clock, compute, code, env = {}, timeoutMs, cpuMs = () => 0 } = options;
  const compiled = compileFlow(flow);
  const endAt = clock.monotonic() + timeoutMs;
  const cpuEnd = cpuMs() + limits.testsCpuMs;
  const tests: TestResult[] = [];
  for (const [index, test] of (flow.tests ?? []).entries()) {
    // No test takes more processor time than time.
    const left = Math.min(endAt - clock.monotonic(), cpuEnd - cpuMs(), limits.testMs);
    const name = test.name ?? `test ${index + 1}`;
    const labels = { name, expectation: test.expect };
    tests.push(
      left > 0
        ? { ...labels, ...(await judge(compiled, test, { clock, compute, code, env, timeoutMs: left })) }
        : { ...labels, passed: false, path: [], error: 'Not run: the time for the tests of a flow is up.' },
    );
  }
  return { passed: tests.every(({ passed }) => passed), tests };
}

type Judgement = Omit<TestResult, 'name' | 'expectation'>;

async function judge(flow: CompiledFlow, test: FlowTest, options: DryRunOptions): Promise<Judgement> {
  const result = await dryRun(flow, test, options);
  const { ending, path } = result;
  if (ending.status === 'stuck') return { passed: false, path, error: ending.why };
  const value = await evaluateExpectation(test, result, ending, options);
  if (value === true) return { passed: true, path };
  const error =
    value instanceof NodeError
      ? value.message
      : `Expected true, but the expectation gives ${preview(value, 200)}.`;
  return { passed: false, got: shorten(toResult(ending)), path, error };
}

async function evaluateExpectation(
  test: FlowTest,
  result: DryRun,
  ending: Ended,
  { env, compute, clock }: DryRunOptions,
): Promise<Json | NodeError> {
  const { state, nodes } = result;
  const run = { id: 'test', started_at: new Date(0).toISOString(), turn: 1 };
  const before = { input: inputScope(toFlowInput(test)), state, env, nodes, run };
  const scope = { ...before, ...outcomeScope(result, ending) };
  try {
    const { cpuMs } = clock;
    const elsewhere = computeFor({ clock, ...(compute && { compute }) }, (evaluate) =>
      evaluate(new AbortController().signal),
    );
    const at = { scope, pace: () => undefined, cpuMs, compute: elsewhere, made: 0 };
    return await expression(expectation(test))(at);
  } catch (thrown) {
    return asNodeError(thrown);
  }
}

/** What the caller of such a run would receive, with the names of the API. */
function outcomeScope({ path, replies, handed, requests }: DryRun, ending: Ended): JsonObject {
  const { status, response = {}, error } = toResult(ending);
  const {
    as = 'task',
    artifacts = [],
    message,
    response_artifact,
  } = ending.status === 'completed' ? ending : {};
  return {
    ...{ status, response, as, path, message: message ?? null, response_artifact: response_artifact ?? null },
    error: error ? { ...error, node_id: error.node_id ?? null } : null,
    replies: replies.map((reply) => ({ ...reply })),
    artifacts: plain(assembleArtifacts([...handed, ...endArtifacts(artifacts)])),
    input_requests: requests.map((request) => ({ ...request })),
  };
}

/** Removes the fields that have no value. */
function plain(artifacts: readonly RunArtifact[]): Json {
  const json: Json = JSON.parse(JSON.stringify(artifacts));
  return json;
}

function toResult(ending: Ended): Got {
  if (ending.status === 'completed') return { status: 'completed', response: ending.response };
  const { code, message, node_id } = ending.error;
  return { status: 'failed', error: { code, message, ...(node_id !== undefined && { node_id }) } };
}

/** Replaces a long response by its beginning, because people read the report. */
function shorten(got: Got): Got {
  const { response } = got;
  if (!response || jsonBytes(response, gotBytesMax) <= gotBytesMax) return got;
  return { ...got, response: { beginning: preview(response) } };
}

const gotBytesMax = 16 * 1024;
