// LangGraph.js as a subject: the same graphs, compiled once, each with the fewest channels and steps it
// needs; a snapshot is its MemorySaver. Plain JavaScript, because its packages are installed for the bench
// alone and the type check must do without them.
import { Annotation, END, MemorySaver, Send, START, StateGraph } from '@langchain/langgraph';
import { fanned, message, queue, rounds } from '../graphs.ts';
import { measure } from '../measure.ts';

await measure({
  'chain of 10': inBothModes(chain(10), { text: message }),
  'chain of 100': inBothModes(chain(100), { text: message }),
  'fan-out of 10': inBothModes(fanOut(10), {}),
  'fan-out of 100': inBothModes(fanOut(100), {}),
  'loop over a queue': inBothModes(queueLoop(), { queue }, ({ last }) => ({ last })),
  'counting loop': inBothModes(countingLoop(), { count: 0 }),
});

function chain(length) {
  const graph = new StateGraph(Annotation.Root({ text: Annotation() }));
  for (let n = 1; n <= length; n++) {
    graph.addNode(`step_${n}`, ({ text }) => ({ text }));
    graph.addEdge(n === 1 ? START : `step_${n - 1}`, `step_${n}`);
  }
  return graph.addEdge(`step_${length}`, END);
}

function fanOut(width) {
  const all = Annotation({ reducer: (some, more) => some.concat(more), default: () => [] });
  return new StateGraph(Annotation.Root({ all, item: Annotation() }))
    .addNode('one', ({ item }) => ({ all: [item] }))
    .addConditionalEdges(START, () => fanned(width).map((item) => new Send('one', { item })), ['one'])
    .addEdge('one', END);
}

/**
 * Branches are conditional edges and the end is none, so a loop has half as many nodes here as it has with
 * us.
 */
function queueLoop() {
  return new StateGraph(Annotation.Root({ queue: Annotation(), last: Annotation() }))
    .addNode('take', ({ queue }) => ({ last: queue.item, queue: queue.rest }))
    .addEdge(START, 'take')
    .addConditionalEdges('take', ({ queue }) => (queue.more ? 'take' : END), ['take', END]);
}

function countingLoop() {
  return new StateGraph(Annotation.Root({ count: Annotation() }))
    .addNode('add', ({ count }) => ({ count: count + 1 }))
    .addEdge(START, 'add')
    .addConditionalEdges('add', ({ count }) => (count < rounds ? 'add' : END), ['add', END]);
}

function inBothModes(graph, input, response = (state) => state) {
  const recursionLimit = 200;
  const plain = graph.compile();
  const checkpointer = new MemorySaver();
  const saving = graph.compile({ checkpointer });
  let threads = 0;
  return {
    plain: async () => response(await plain.invoke(input, { recursionLimit })),
    snapshot: async () => {
      const thread_id = `thread-${++threads}`;
      const state = await saving.invoke(input, { recursionLimit, configurable: { thread_id } });
      // What earlier runs left behind must not slow down the later ones.
      await checkpointer.deleteThread(thread_id);
      return response(state);
    },
  };
}
