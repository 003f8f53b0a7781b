// Asks the worker of the editor. It is started with the first question, and ends with the page; after a crash the next
// question starts another one.
import { useEffect, useMemo } from 'react';
import type { WorkerCalls } from './flow-worker.ts';

/** The build replaces it by the name of the worker's file, which is beside the chunks. */
declare const FLOW_WORKER: string;

export type AskWorker = <Call extends keyof WorkerCalls>(
  call: Call,
  asked: WorkerCalls[Call]['asked'],
) => Promise<WorkerCalls[Call]['answered']>;

export function useFlowWorker(): AskWorker {
  const { ask, end } = useMemo(createWorker, []);
  useEffect(() => end, [end]);
  return ask;
}

interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}

function createWorker() {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const end = () => {
    worker?.terminate();
    worker = undefined;
    waiting.clear();
  };
  const start = () => {
    const started = new Worker(new URL(FLOW_WORKER, import.meta.url), { type: 'module' });
    started.onmessage = ({ data: { id, answer, error } }: MessageEvent<Reply>) => {
      if (error === undefined) waiting.get(id)?.resolve(answer);
      else waiting.get(id)?.reject(new Error(error));
      waiting.delete(id);
    };
    started.onerror = () => {
      for (const { reject } of waiting.values()) reject(new Error('The check could not be loaded.'));
      end();
    };
    return started;
  };
  // The worker answers each call as the table of calls says.
  const ask = (async (call: string, asked: object) => {
    worker ??= start();
    const waits = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, waits);
    worker.postMessage({ ...asked, call, id: last });
    return await waits.promise;
  }) as AskWorker;
  return { ask, end };
}
