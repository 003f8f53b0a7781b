// Our engine as a subject: flows compiled once, ports that answer from nothing, and for a snapshot its JSON.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type FlowInput, runFlow } from '#lib/flow/engine/run-flow.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { fanned, message, queue, rounds } from './graphs.ts';
import { type GraphRun, type Mode, measure } from './measure.ts';

const input: FlowInput = { message, user_variables: {} };
const startedAt = Date.parse('2026-11-21T09:00:00.000Z');
const stored = { snapshot: '' };

await measure({
  'chain of 10': inBothModes(chain(10)),
  'chain of 100': inBothModes(chain(100)),
  'fan-out of 10': inBothModes(fanOut(10)),
  'fan-out of 100': inBothModes(fanOut(100)),
  'loop over a queue': inBothModes(queueLoop()),
  'counting loop': inBothModes(countingLoop()),
});

/** Each node hands on what the one before it said; the last puts it into the state, which is the response. */
function chain(length: number): object {
  const ids = Array.from({ length }, (_, n) => `step_${n + 1}`);
  const nodes = ids.map((id, n) => {
    const text = n === 0 ? '{{ input.message }}' : `{{ nodes.step_${n}.text }}`;
    const next = ids[n + 1];
    const onward = next ? { next } : { assign: { text: `{{ nodes.${id}.text }}` } };
    return [id, { type: 'transform', output: { text }, ...onward }];
  });
  return { version: 1, name: 'Chain', start: 'step_1', nodes: Object.fromEntries(nodes) };
}

/** One node for each item of a list, beside each other, and their outputs as the response. */
function fanOut(width: number): object {
  const one = { type: 'transform', output: '{{ item }}' };
  const fan = {
    type: 'map',
    items: fanned(width),
    body: { start: 'one', nodes: { one } },
    assign: { all: '{{ nodes.fan }}' },
  };
  return { version: 1, name: 'Fan', start: 'fan', nodes: { fan } };
}

function queueLoop(): object {
  const nodes = {
    take: {
      type: 'transform',
      output: { item: '{{ state.queue.item }}' },
      assign: { queue: '{{ state.queue.rest }}' },
      next: 'more',
    },
    more: { type: 'switch', cases: [{ when: '{{ state.queue.more }}', next: 'take' }], default: 'done' },
    done: { type: 'end', output: { last: '{{ nodes.take.item }}' } },
  };
  return { version: 1, name: 'Queue', state: { queue }, start: 'take', nodes };
}

/** Counts and compares in the expression language proper. */
function countingLoop(): object {
  const nodes = {
    count: {
      type: 'transform',
      output: '{{ state.count + 1 }}',
      assign: { count: '{{ nodes.count }}' },
      next: 'more',
    },
    more: {
      type: 'switch',
      cases: [{ when: `{{ state.count < ${rounds} }}`, next: 'count' }],
      default: 'done',
    },
    done: { type: 'end', output: { count: '{{ state.count }}' } },
  };
  return { version: 1, name: 'Count', state: { count: 0 }, start: 'count', nodes };
}

function inBothModes(json: object): Record<Mode, GraphRun> {
  const checked = checkFlow(json);
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  const flow = compileFlow(checked.flow);
  const running = (checkpoint: Ports['checkpoint']) => async () => {
    const ports = portsWith(checkpoint);
    const { signal } = new AbortController();
    const outcome = await runFlow(flow, { runId: 'run-1', input, startedAt, ports, signal });
    return outcome.status === 'completed' ? outcome.response : outcome;
  };
  return {
    plain: running(async () => {}),
    snapshot: running(async (snapshot) => {
      stored.snapshot = JSON.stringify(snapshot);
    }),
  };
}

/** The clock is the real one, and the log is kept, as for a run that a caller waits for. */
function portsWith(checkpoint: Ports['checkpoint']): Ports {
  const entries: LogEntry[] = [];
  return {
    model: unused,
    http: unused,
    clock,
    checkpoint,
    log: (entry) => entries.push(entry),
    reply: unused,
  };
}

function unused(): never {
  throw new Error('No graph of the bench has a node that calls this port.');
}
