// The record of one execution, as far as it fits one item.
import { redacted, redactedValue } from '#lib/flow/engine/log-preview.ts';
import type { ExecutionEnd, WatchedExecution } from '#lib/flow/ports/execution-watch.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { KeptExecution, ModelCall } from './kept-execution.ts';
import { batchBytesMax } from './kept-value-items.ts';

export interface ObservedExecution {
  readonly execution: WatchedExecution;
  /** Undefined where the fields could not be evaluated. */
  readonly input: Json | undefined;
  readonly models: readonly ModelCall[];
  /** Undefined while it is paused. */
  readonly end: ExecutionEnd | undefined;
  /** When it ended or paused, in ms since 1970. */
  readonly at: number;
}

export function toRecord({ execution, input, models, end, at }: ObservedExecution): KeptExecution {
  const { key, nodeId, nodeType, scope, visit } = execution;
  const record: KeptExecution = {
    execution: key,
    node_id: nodeId,
    node_type: nodeType,
    ...(scope !== '' && { scope }),
    visit,
    status: end?.status ?? 'paused',
    ended_at: new Date(at).toISOString(),
    ...(end && end.status !== 'completed' && { error: describeError(end.error) }),
  };
  const takes = createRoom(batchBytesMax - jsonBytes(record) - overheadBytes);
  const output = end?.status === 'completed' ? redactedValue(end.output) : undefined;
  const given = input === undefined ? undefined : redactedValue(input);
  const hasOutput = output !== undefined && takes(output);
  const assigned = end?.assigned && redactedObject(end.assigned);
  const hasAssigned = assigned !== undefined && takes(assigned);
  const hasInput = given !== undefined && takes(given);
  const kept = models.filter(takes);
  const left_out = [
    ...(given !== undefined && !hasInput ? (['input'] as const) : []),
    ...(output !== undefined && !hasOutput ? (['output'] as const) : []),
    ...(assigned !== undefined && !hasAssigned ? (['assigned'] as const) : []),
    ...(kept.length < models.length ? (['models'] as const) : []),
  ];
  return {
    ...record,
    ...(hasInput && { input: given }),
    ...(hasOutput && { output }),
    ...(hasAssigned && { assigned }),
    ...(kept.length > 0 && { models: kept }),
    ...(left_out.length > 0 && { left_out }),
  };
}

/** For the names of the members, and the brackets around the list. */
const overheadBytes = 200;

/** Whether there is room for a value; then it takes the room. */
function createRoom(bytesMax: number): (value: unknown) => boolean {
  let left = bytesMax;
  return (value) => {
    // With the comma after it.
    const bytes = jsonBytes(value, left) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
}

type FailedEnd = Extract<ExecutionEnd, { readonly status: 'failed' | 'caught' }>;

function describeError({ code, message, response }: FailedEnd['error']): NonNullable<KeptExecution['error']> {
  return { code, message: redacted(message), ...(response && { response: redactedObject(response) }) };
}

/** What an object becomes is an object. */
const redactedObject = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...Object(redactedValue(object)) }));
