// What functions print. All share this process and its standard output, so each invocation carries the name of its log group along.
import { AsyncLocalStorage } from 'node:async_hooks';

const logGroupOfCaller = new AsyncLocalStorage<string>();

/** What `run` prints, now or later, is in this log group. */
export const printingTo = <T>(logGroup: string, run: () => T): T => logGroupOfCaller.run(logGroup, run);

/** Shows `take` each line that a function prints; a line that it takes goes no further. The returned function ends this. */
export function captureLines(take: (logGroup: string, line: string) => boolean): () => void {
  const original = process.stdout.write;
  const write = (chunk: unknown, ...rest: unknown[]): unknown => {
    const logGroup = logGroupOfCaller.getStore();
    // Functions print whole lines: their logger does, and so does the console.
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
