// Runs a `code` node. Loaded with the first flow that has one.
import type { CodeFailure, CodeOutcome } from '#lib/code/code-call.ts';
import { faultIn, reachesForPrototypes } from '#lib/json/guard.ts';
import type { Json } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { preview } from '../engine/log-preview.ts';
import type { RunNode } from '../engine/node-context.ts';
import { sizeProblem } from '../engine/value-size.ts';
import { template } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

interface CodeFields {
  readonly code: string;
  readonly input?: Json | undefined;
  readonly timeout_ms?: number | undefined;
}

export function prepareRun({
  code,
  input = {},
  timeout_ms: timeoutMs = limits.codeTimeoutMsDefault,
}: CodeFields): RunNode {
  const given = template(input);
  return async ({ at, idempotencyKey, now, runCode }) => {
    const value = await given(at);
    requireFitting('input', value, limits.codeInputBytes);
    const outcome = await runCode({
      code,
      input: JSON.stringify(value),
      // The same in an execution that is repeated after a crash, as are `$now()` and `$random()`.
      now: at.execution?.startedAt ?? now(),
      seed: idempotencyKey,
      timeoutMs,
    });
    const output = readOutcome(outcome);
    requireFitting('output', output, limits.variableBytes);
    return { output };
  };
}

function readOutcome(outcome: CodeOutcome): Json {
  if ('failure' in outcome) throw new NodeError(errorCodes[outcome.failure.reason], outcome.failure.message);
  const output: Json = JSON.parse(outcome.json);
  const fault = faultIn(output, reachesForPrototypes);
  if (fault)
    throw new NodeError(
      'code.invalid_output',
      `output, ${preview(pointerTo(fault.path), 120)}: ${fault.detail}.`,
    );
  return output;
}

const errorCodes: Readonly<Record<CodeFailure['reason'], string>> = {
  syntax: 'code.syntax',
  threw: 'code.threw',
  timeout: 'code.timeout',
  memory: 'code.memory',
  invalid_output: 'code.invalid_output',
  too_large: 'value.too_large',
};

function requireFitting(field: string, value: Json, bytesMax: number): void {
  const problem = sizeProblem(value, bytesMax);
  if (problem !== undefined) throw new NodeError('value.too_large', `${field}: ${problem}.`);
}
