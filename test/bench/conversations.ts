// What a turn of a stored conversation costs: reads and writes of the store, each of which is one AWS call (a test
// compares them with docs/aws-calls.md), and the CPU time beside the model.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import type { StorePort } from '#lib/flow/ports/store.ts';
import { memoryStore } from '#lib/flow/testing/memory-store.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { cpuMicros } from './measure.ts';
import { type Row, toFigure } from './row.ts';

const repetitions = 11;
const measuredTurns = 200;
const [fewTurns, manyTurns] = [30, 1_000];
/** What a turn may cost after many turns, as a multiple of one after few: the window bounds both. */
const growthMax = 1.5;

const flow = compileConversation();

export async function conversationRows(): Promise<Row[]> {
  const many = countingStore();
  await addTurns(many, manyTurns);
  const { reads, writes } = many.calls;
  const costs: (readonly [number, number])[] = [];
  for (let n = 0; n < repetitions; n += 1) {
    const few = countingStore();
    await addTurns(few, fewTurns);
    costs.push([await measureTurn(few), await measureTurn(many)]);
  }
  return [
    {
      what: 'reads of the store in a turn of a conversation',
      unit: 'AWS calls',
      ours: toFigure([reads / manyTurns]),
    },
    {
      what: 'writes of the store in a turn of a conversation',
      unit: 'AWS calls',
      ours: toFigure([writes / manyTurns]),
    },
    { what: `CPU of a turn after ${fewTurns} turns`, unit: 'µs', ours: toFigure(costs.map(([few]) => few)) },
    {
      what: `CPU of a turn after ${manyTurns.toLocaleString('en')} turns`,
      unit: 'µs',
      ours: toFigure(costs.map(([, later]) => later)),
    },
    {
      what: 'CPU of a turn, after many ÷ after few',
      unit: '×',
      ours: toFigure(costs.map(([few, later]) => later / few)),
      budget: growthMax,
    },
  ];
}

/** The window holds as many turns after few as after many. */
const measureTurn = async (store: StorePort): Promise<number> =>
  (await cpuMicros(() => addTurns(store, measuredTurns))) / measuredTurns;

interface CountingStore extends StorePort {
  readonly calls: { reads: number; writes: number };
}

function countingStore(): CountingStore {
  const { hasContext, read, write } = memoryStore(true);
  const calls = { reads: 0, writes: 0 };
  return {
    calls,
    hasContext,
    read: async (...args) => {
      calls.reads += 1;
      return await read(...args);
    },
    write: async (...args) => {
      calls.writes += 1;
      return await write(...args);
    },
  };
}

let runs = 0;

/** One run for each turn, as each message to an agent is. */
async function addTurns(store: StorePort, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    runs += 1;
    const outcome = await runFlow(flow, {
      runId: `run-${runs}`,
      input: { message: `Where is my order ${runs}?`, user_variables: {} },
      startedAt: Date.now(),
      signal: new AbortController().signal,
      ports: {
        model: async () => ({ output: 'On its way.', model: 'bench/model', tokens: { input: 9, output: 4 } }),
        http: unused,
        clock,
        checkpoint: async () => {},
        log: () => {},
        reply: unused,
        store,
      },
    });
    if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  }
}

function compileConversation() {
  const answer = { type: 'llm', prompt: '{{ input.message }}', conversation: {} };
  const checked = checkFlow({ version: 1, name: 'Talk', start: 'answer', nodes: { answer } });
  if (checked.ok) return compileFlow(checked.flow);
  throw new Error(JSON.stringify(checked.errors));
}

function unused(): never {
  throw new Error('No node of the flow calls this port.');
}
