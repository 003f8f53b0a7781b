// Observes the executions of nodes of a run, and keeps what they were given and what they gave. The values are for people
// who look at the run, so a failure to keep them is logged and changes nothing. Loaded by runs whose environment keeps
// values.
import type { ExecutionWatch, WatchedExecution } from '#lib/flow/ports/execution-watch.ts';
import type { ModelAnswer, ModelPort, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { Json } from '#lib/json/json.ts';
import type { Log } from '#lib/log.ts';
import { createBatchWriter } from './kept-batches.ts';
import type { ModelCall } from './kept-execution.ts';
import { createModelCalls } from './kept-model-calls.ts';
import { toRecord } from './kept-record.ts';
import type { StoredRun } from './stored-run.ts';

export interface ValueKeeper {
  readonly watch: ExecutionWatch;
  readonly watchModel: (model: ModelPort) => ModelPort;
  /** Stores what is left to store of the run. Never rejects. */
  readonly close: (hasFailed: boolean) => Promise<void>;
}

interface OpenExecution {
  readonly execution: WatchedExecution;
  readonly input: Json | undefined;
  readonly models: ModelCall[];
  readonly toModelCall: ReturnType<typeof createModelCalls>;
}

/** With `isHeld`, values are kept only if the run fails. */
export function createValueKeeper(run: StoredRun, isHeld: boolean, log: Log): ValueKeeper {
  const open = new Map<string, OpenExecution>();
  const batches = createBatchWriter(run, isHeld, log);
  const keep = ({ execution, input, models }: OpenExecution, end?: Parameters<ExecutionWatch['ends']>[1]) =>
    batches.add(toRecord({ execution, input, models, end, at: Date.now() }));
  return {
    watch: {
      begins: async (execution) => {
        if (batches.isFull()) return;
        const input = await execution.evaluateFields().catch(() => undefined);
        const toModelCall = createModelCalls(execution.holdsText);
        open.set(execution.key, { execution, input, models: [], toModelCall });
      },
      ends: (key, end) => {
        const known = open.get(key);
        open.delete(key);
        if (known) keep(known, end);
      },
    },
    watchModel: (model) => async (request, call) =>
      await askObserved(model, request, call, open.get(call.key)),
    close: async (hasFailed) => {
      // What was said so far is not in the process that continues an execution which is paused.
      for (const each of open.values()) keep(each);
      open.clear();
      await batches.close(!isHeld || hasFailed);
    },
  };
}

async function askObserved(
  model: ModelPort,
  request: ModelRequest,
  call: NodeCall,
  known: OpenExecution | undefined,
): Promise<ModelAnswer> {
  const at = Date.now();
  const from = performance.now();
  const note = (result: { readonly answer?: ModelAnswer; readonly error?: unknown }) =>
    known?.models.push(
      known.toModelCall({ request, at, ms: performance.now() - from, attempt: call.attempt, ...result }),
    );
  try {
    const answer = await model(request, call);
    note({ answer });
    return answer;
  } catch (error) {
    note({ error });
    throw error;
  }
}
