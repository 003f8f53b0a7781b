// The least that any engine could cost, as a subject: an async loop over functions and, for a snapshot, the
// JSON of a state like ours.
import { fanned, message, type Queue, queue, rounds } from './graphs.ts';
import { type GraphRun, type Mode, measure } from './measure.ts';

interface State {
  readonly nodes: Record<string, unknown>;
  text?: string;
  queue: Queue;
  last?: number;
  all?: readonly number[];
  count: number;
}

interface Graph {
  readonly start: string;
  /** Each gives the id of the next node, none at the end. */
  readonly nodes: Readonly<
    Record<string, (state: State, checkpoint: (state: State) => void) => Promise<string | undefined>>
  >;
  readonly response: (state: State) => object;
}

const stored = { snapshot: '' };

await measure({
  'chain of 10': inBothModes(chain(10)),
  'chain of 100': inBothModes(chain(100)),
  'fan-out of 10': inBothModes(fanOut(10)),
  'fan-out of 100': inBothModes(fanOut(100)),
  'loop over a queue': inBothModes(queueLoop()),
  'counting loop': inBothModes(countingLoop()),
});

function chain(length: number): Graph {
  const nodes = Array.from({ length }, (_, n) => {
    const id = `step_${n + 1}`;
    const next = n + 1 < length ? `step_${n + 2}` : undefined;
    const run = async (state: State) => {
      state.text ??= message;
      state.nodes[id] = { text: state.text };
      return next;
    };
    return [id, run] as const;
  });
  return { start: 'step_1', nodes: Object.fromEntries(nodes), response: ({ text }) => ({ text }) };
}

function fanOut(width: number): Graph {
  const nodes = {
    fan: async (state: State, checkpoint: (state: State) => void) => {
      const one = async (item: number) => {
        state.nodes[item] = item;
        checkpoint(state);
        return item;
      };
      state.all = await Promise.all(fanned(width).map(one));
      return undefined;
    },
  };
  return { start: 'fan', nodes, response: ({ all }) => ({ all }) };
}

function queueLoop(): Graph {
  const nodes = {
    take: async (state: State) => {
      if (!state.queue.more) throw new Error('The queue is empty.');
      state.last = state.queue.item;
      state.nodes.take = { item: state.last };
      state.queue = state.queue.rest;
      return 'more';
    },
    more: async ({ queue }: State) => (queue.more ? 'take' : 'done'),
    done: async () => undefined,
  };
  return { start: 'take', nodes, response: ({ last }) => ({ last }) };
}

function countingLoop(): Graph {
  const nodes = {
    count: async (state: State) => {
      state.count++;
      state.nodes.count = state.count;
      return 'more';
    },
    more: async ({ count }: State) => (count < rounds ? 'count' : 'done'),
    done: async () => undefined,
  };
  return { start: 'count', nodes, response: ({ count }) => ({ count }) };
}

function inBothModes(graph: Graph): Record<Mode, GraphRun> {
  const running = (checkpoint: (state: State) => void) => async () => {
    const state: State = { nodes: {}, queue, count: 0 };
    let next: string | undefined = graph.start;
    while (next !== undefined) {
      next = await graph.nodes[next]?.(state, checkpoint);
      checkpoint(state);
    }
    return graph.response(state);
  };
  return {
    plain: running(() => {}),
    snapshot: running((state) => {
      stored.snapshot = JSON.stringify(state);
    }),
  };
}
