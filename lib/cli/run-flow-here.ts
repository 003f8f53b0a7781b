// Runs a flow in this process, from its first node to its end, and asks a person what it asks.

import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { type FlowInput, type Outcome, type RunOptions, runFlow } from '#lib/flow/engine/run-flow.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import type { createProgress } from './progress.ts';
import type { Outside } from './runtime-ports.ts';

interface Here {
  readonly runId: string;
  readonly input: FlowInput;
  readonly env: JsonObject;
  readonly outside: Outside['ports'];
  readonly progress: ReturnType<typeof createProgress>;
  /** Undefined when there is nobody to ask. `fault` says why the answer before was refused. */
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
}

export async function runFlowHere(flow: Flow, here: Here): Promise<Result> {
  const logs: LogEntry[] = [];
  const { runId, input, env, signal, progress } = here;
  const log = (entry: LogEntry) => {
    logs.push(entry);
    progress.log(entry);
  };
  const ports = { ...here.outside, ...progress, log, clock, checkpoint: async () => {} };
  const patienceMs = Number.POSITIVE_INFINITY;
  const options = { runId, input, env, startedAt: clock.now(), ports, signal, patienceMs };
  const compiled = compileFlow(flow);
  let outcome = await runFlow(compiled, options);
  let asked: Asked | undefined;
  for (;;) {
    if (outcome.status === 'input_required') asked = outcome;
    const goOn = await onward(outcome, asked, here);
    if (!goOn) return { workflow_id: runId, ...endOf(outcome, asked), logs };
    outcome = await runFlow(compiled, { ...options, ...goOn });
  }
}

type Asked = Extract<Outcome, { readonly status: 'input_required' }>;

/** What to go on with; undefined when the run is over, or when nobody answers. */
async function onward(
  outcome: Outcome,
  asked: Asked | undefined,
  { ask }: Here,
): Promise<Pick<RunOptions, 'snapshot' | 'answer'> | undefined> {
  if (outcome.status === 'yielded') return { snapshot: outcome.snapshot };
  const isOpen = outcome.status === 'input_required' || outcome.status === 'refused';
  const request = isOpen ? asked?.requests[0] : undefined;
  if (!asked || !request) return undefined;
  const said = await ask(request, outcome.status === 'refused' ? outcome.error.message : undefined);
  if (said === undefined) return undefined;
  return { snapshot: asked.snapshot, answer: { id: request.id, value: answerValue(said, request) } };
}

/** Text where text is asked for; otherwise what it means as JSON, if it means anything. */
function answerValue(said: string, { schema }: InputRequest): Json {
  if (!schema || schema.type === 'string') return said;
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}

function endOf(outcome: Outcome, asked: Asked | undefined): Omit<Result, 'workflow_id' | 'logs'> {
  const open = { response: {}, status: outcome.status, requires_input: false, error: null };
  switch (outcome.status) {
    case 'completed':
      return { ...open, response: outcome.response };
    case 'failed': {
      const { code, message, node_id } = outcome.error;
      return { ...open, error: `${node_id === undefined ? '' : `${node_id}: `}${message} (${code})` };
    }
    case 'refused':
      return { ...open, requires_input: true, error: outcome.error.message };
    case 'input_required':
      return { ...open, requires_input: true, error: asked?.requests[0]?.prompt ?? null };
    default:
      return open;
  }
}
