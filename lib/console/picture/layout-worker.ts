// The layout library in a worker: a file of its own, loaded with the first picture. Its messages are those of
// elkjs/lib/elk-api.js, which is not part of the console, so that the library stays apart and unmodified.
import workerAddress from 'elkjs/lib/elk-worker.min.js';
import type { LayoutEngine } from '#lib/drawing/place-graph.ts';

interface Reply {
  readonly id: number;
  readonly data?: unknown;
  readonly error?: unknown;
}

let started: LayoutEngine | undefined;

/** One worker for the tab. A worker that could not be loaded is started again for the next picture. */
export const layoutEngine: LayoutEngine = (graph) => {
  started ??= startWorker();
  return started(graph);
};

function startWorker(): LayoutEngine {
  const worker = new Worker(new URL(workerAddress, import.meta.url));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  const ask = (message: object): Promise<unknown> => {
    const asked = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, asked);
    worker.postMessage({ id: last, ...message });
    return asked.promise;
  };
  worker.onmessage = ({ data: { id, data, error } }: MessageEvent<Reply>) => {
    if (error === undefined) waiting.get(id)?.resolve(data);
    else waiting.get(id)?.reject(new Error('The layout failed.', { cause: error }));
    waiting.delete(id);
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error('The layout could not be loaded.'));
    started = undefined;
    worker.terminate();
  };
  const registered = ask({ cmd: 'register', algorithms: ['layered', 'rectpacking'] });
  return async (graph) => {
    await registered;
    // The library returns the graph that it was given, with positions.
    return (await ask({ cmd: 'layout', graph, layoutOptions: {}, options: {} })) as typeof graph;
  };
}
