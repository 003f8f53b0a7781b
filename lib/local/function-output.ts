// Captures what functions print. All functions share the standard output of this process, so each invocation
// carries the name of its log group.
import { AsyncLocalStorage } from 'node:async_hooks';

const logGroupOfCaller = new AsyncLocalStorage<string>();

/** Lines that `run` prints, also asynchronously, belong to this log group. */
export const runWithLogGroup = <T>(logGroup: string, run: () => T): T => logGroupOfCaller.run(logGroup, run);

/**
 * Calls `take` with each line that a function prints, and drops the lines for which it returns true. Returns
 * a function that stops the capture.
 */
export function captureLines(take: (logGroup: string, line: string) => boolean): () => void {
  const original = process.stdout.write;
  const write = (chunk: unknown, ...rest: unknown[]): unknown => {
    const logGroup = logGroupOfCaller.getStore();
    // The logger of the functions and the console write whole lines.
    if (logGroup === undefined || typeof chunk !== 'string')
      return Reflect.apply(original, process.stdout, [chunk, ...rest]);
    const lines = chunk.replace(/\n$/, '').split('\n');
    const left = lines.filter((line) => !take(logGroup, line));
    const text = left.length === lines.length ? chunk : left.map((line) => `${line}\n`).join('');
    return Reflect.apply(original, process.stdout, [text, ...rest]);
  };
  Object.assign(process.stdout, { write });
  return () => void Object.assign(process.stdout, { write: original });
}
