// Runs a flow in this process until it ends, and passes the questions of its input requests to the user.
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { AwaitedEvent, InputRequest } from '#lib/flow/engine/pause.ts';
import { type FlowInput, type Outcome, type RunOptions, runFlow } from '#lib/flow/engine/run-flow.ts';
import { findAwaitedEvents } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { type RunFailure, toFailedEnd } from '#lib/run/failure.ts';
import type { createProgress } from './progress.ts';
import type { RuntimePorts } from './runtime-ports.ts';

interface Here {
  readonly runId: string;
  readonly input: FlowInput;
  readonly env: JsonObject;
  readonly ports: RuntimePorts['ports'];
  readonly progress: ReturnType<typeof createProgress>;
  /** Undefined when no answer is available. `fault` is the reason why the previous answer was refused. */
  readonly ask: (request: InputRequest, fault: string | undefined) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** The same members as the result of a run over the API. */
interface Result {
  readonly workflow_id: string;
  readonly response: JsonObject;
  readonly status: Outcome['status'];
  readonly logs: readonly LogEntry[];
  readonly requires_input: boolean;
  readonly error: string | null;
  readonly failure?: RunFailure;
}

export async function runFlowHere(flow: Flow, here: Here): Promise<Result> {
  const logs: LogEntry[] = [];
  const { runId, input, env, signal, progress } = here;
  const log = (entry: LogEntry) => {
    logs.push(entry);
    progress.log(entry);
  };
  const ports = { ...here.ports, ...progress, log, clock, checkpoint: async () => {} };
  const patienceMs = Number.POSITIVE_INFINITY;
  const options = { runId, input, env, startedAt: clock.now(), ports, signal, patienceMs };
  const compiled = compileFlow(flow);
  let outcome = await runFlow(compiled, options);
  let paused: PausedOutcome | undefined;
  for (;;) {
    if (outcome.status === 'input_required') paused = outcome;
    const next = await findNextStep(outcome, paused, here);
    if (!next) return { workflow_id: runId, ...toResult(outcome, paused), logs };
    outcome = await runFlow(compiled, { ...options, ...next });
  }
}

type PausedOutcome = Extract<Outcome, { readonly status: 'input_required' }>;

/** The input of the next call of the engine; undefined when the run has ended or no answer is available. */
async function findNextStep(
  outcome: Outcome,
  paused: PausedOutcome | undefined,
  { ask }: Here,
): Promise<Pick<RunOptions, 'snapshot' | 'answer' | 'sentEvents'> | undefined> {
  if (outcome.status === 'yielded') return { snapshot: outcome.snapshot };
  if (outcome.status === 'waiting') return await sendEvent(outcome, ask);
  const isOpen = outcome.status === 'input_required' || outcome.status === 'refused';
  const request = isOpen ? paused?.requests[0] : undefined;
  if (!paused || !request) return undefined;
  const text = await ask(request, outcome.status === 'refused' ? outcome.error.message : undefined);
  if (text === undefined) return undefined;
  return { snapshot: paused.snapshot, answer: { id: request.id, value: answerValue(text, request) } };
}

/** The user writes the data of the event for which the run waits; undefined if none is available. */
async function sendEvent(
  { snapshot }: Extract<Outcome, { readonly status: 'waiting' }>,
  ask: Here['ask'],
): Promise<Pick<RunOptions, 'snapshot' | 'sentEvents'> | undefined> {
  const [awaited] = findAwaitedEvents(snapshot);
  if (!awaited) return undefined;
  const request = toRequest(awaited);
  const text = await ask(request, undefined);
  if (text === undefined) return undefined;
  const { id, event, key } = awaited;
  const received_at = new Date(clock.now()).toISOString();
  const data = answerValue(text, request);
  const value = { event, key, id: `local-${received_at}`, data, received_at };
  return { snapshot, sentEvents: [{ id, ref: received_at, value }] };
}

const toRequest = ({ id, event, key }: AwaitedEvent): InputRequest => ({
  id,
  node_id: id,
  purpose: 'ask',
  prompt: `The run waits for the event ${event} of the key ${key}. Its data, as JSON:`,
});

/** Text if the schema asks for text; otherwise the parsed JSON, or the text if it is not JSON. */
function answerValue(text: string, { schema }: InputRequest): Json {
  if (!schema || schema.type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toResult(outcome: Outcome, paused: PausedOutcome | undefined): Omit<Result, 'workflow_id' | 'logs'> {
  const open = { response: {}, status: outcome.status, requires_input: false, error: null };
  switch (outcome.status) {
    case 'completed':
      return { ...open, response: outcome.response };
    case 'failed': {
      const { error, failure } = toFailedEnd(outcome.error);
      return { ...open, error, failure };
    }
    case 'refused':
      return { ...open, requires_input: true, error: outcome.error.message };
    case 'input_required':
      return { ...open, requires_input: true, error: paused?.requests[0]?.prompt ?? null };
    default:
      return open;
  }
}
