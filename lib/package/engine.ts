// The engine as a package: what `agent-flow-service` exports. It needs no AWS, no network and no files; all that a run
// uses comes through its ports.
import { createHttpPort as createPort } from '#lib/connection/http-port.ts';
import { parseEgressPolicy } from '#lib/egress/egress-policy.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { type CheckedFlow, checkFlow as checkValue } from '#lib/flow/check/check-flow.ts';
import type { Mistake, Warning } from '#lib/flow/check/mistake.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { HttpPort } from '#lib/flow/ports/http.ts';
import type { TestReport } from '#lib/flow/testing/report.ts';
import { testFlow as runTests } from '#lib/flow/testing/test-flow.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { parsePointer } from '#lib/json/pointer.ts';
import type { Position } from '#lib/json/position.ts';
import { clock } from '#lib/run/compute/clock.ts';

export type { CheckedFlow } from '#lib/flow/check/check-flow.ts';
export type { Mistake, Warning } from '#lib/flow/check/mistake.ts';
export { compileFlow } from '#lib/flow/definition/compile.ts';
export type { Flow } from '#lib/flow/definition/flow.ts';
export type { Answer } from '#lib/flow/engine/answer.ts';
export type { FlowInput } from '#lib/flow/engine/input-output.ts';
export type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
export type { Artifact, Reply, TextPiece } from '#lib/flow/engine/output.ts';
export type { InputRequest } from '#lib/flow/engine/pause.ts';
export type { FlowLimits } from '#lib/flow/format/flow-limits.ts';
export { NodeError } from '#lib/flow/format/node-error.ts';
export type { AgentPort, DiscoverPort } from '#lib/flow/ports/agent.ts';
export type { Clock } from '#lib/flow/ports/clock.ts';
export type { CodePort } from '#lib/flow/ports/code.ts';
export type { HttpAnswer, HttpPort, HttpRequest } from '#lib/flow/ports/http.ts';
export type { LogEntry } from '#lib/flow/ports/log-entry.ts';
export type { McpPort } from '#lib/flow/ports/mcp.ts';
export type { ModelAnswer, ModelPort, ModelRequest } from '#lib/flow/ports/model.ts';
export type { NodeCall } from '#lib/flow/ports/node-call.ts';
export type { StorePort } from '#lib/flow/ports/store.ts';
export { memoryStore } from '#lib/flow/testing/memory-store.ts';
export type { TestReport, TestResult } from '#lib/flow/testing/report.ts';
export type { Json, JsonObject } from '#lib/json/json.ts';
export {
  type EnginePorts,
  type RunOutcome,
  type RunSettings,
  resumeFlow,
  runFlow,
  type SavedRun,
} from './run.ts';

/**
 * Checks a flow: a JSON value, or the flow of a builder. If it has mistakes, `errors` lists the first 20 of them, each
 * with a JSON pointer (RFC 6901) into the flow and what was expected there. Otherwise `flow` is ready for
 * `compileFlow`, and `warnings` lists what is allowed but probably not meant. Never throws.
 */
export const checkFlow = (flow: unknown): CheckedFlow => checkValue(hasToJson(flow) ? flow.toJSON() : flow);

const hasToJson = (value: unknown): value is { toJSON(): Json } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';

/** A check of text: each mistake and warning has its position, where there is one. */
export type CheckedText =
  | { readonly ok: true; readonly flow: Flow; readonly warnings: readonly (Warning & Partial<Position>)[] }
  | { readonly ok: false; readonly errors: readonly (Mistake & Partial<Position>)[]; readonly total: number };

/** As `checkFlow`, for JSON or YAML 1.2 as text. `line` and `column` count from 1. What cannot be read is a mistake, too. */
export async function checkText(text: string): Promise<CheckedText> {
  const { readYaml } = await import('#lib/yaml/read-yaml.ts');
  const read = readYaml(text);
  if (!read.isYaml)
    return {
      ok: false,
      total: 1,
      errors: [{ pointer: '', detail: `this cannot be read: ${read.reason}`, ...read.position }],
    };
  const locate = <M extends Mistake>(found: M) => ({ ...found, ...read.locate(parsePointer(found.pointer)) });
  const checked = checkFlow(read.value);
  return checked.ok
    ? { ...checked, warnings: checked.warnings.map(locate) }
    : { ...checked, errors: checked.errors.map(locate) };
}

/**
 * Runs the tests that a checked flow has, with mocks instead of ports. `env` are the variables of the environment,
 * and `timeoutMs` is the time for all tests together.
 */
export const testFlow = (
  flow: Flow,
  { env = {}, timeoutMs = limits.testsMs }: { readonly env?: JsonObject; readonly timeoutMs?: number } = {},
): Promise<TestReport> => runTests(flow, { clock, env, timeoutMs });

/**
 * A port for requests that reaches public addresses only, and only hosts that the flow lists in `egress`.
 * `allowPrivate` lists further hosts with their ports, such as `localhost:8080`. Connections, which have credentials,
 * need a port of your own. Throws an `Error` for an entry that is no host.
 */
export function createHttpPort({
  allowPrivate = [],
}: {
  readonly allowPrivate?: readonly string[];
} = {}): HttpPort {
  const fetch = createGuardedFetch(parseEgressPolicy(allowPrivate.join()));
  return createPort(async (name) => {
    if (name === undefined) return { fetch, redact: (text) => text.toWellFormed() };
    throw new NodeError('connection.missing', `The connection "${name}" has no value.`);
  });
}
