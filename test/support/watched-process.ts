// A process whose output is read while it runs. Free of vitest, for programs that are no tests.
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

export interface WatchedProcess {
  readonly child: Child;
  /** All that it has printed so far, both streams. */
  readonly printed: () => string;
  /** What it has printed to stdout alone. */
  readonly output: () => string;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  /** Resolves once it has printed the text; rejects when it ends without. */
  readonly prints: (text: string) => Promise<void>;
}

export function watchProcess(child: Child, name: string): WatchedProcess {
  let text = '';
  let output = '';
  const collect = (chunk: Buffer) => {
    text += chunk;
  };
  child.stdout.on('data', collect);
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on('data', collect);
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  const prints = async (wanted: string) => {
    while (!text.includes(wanted)) {
      if (child.exitCode !== null) throw new Error(`${name} ended without printing "${wanted}":\n${text}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
    }
  };
  return { child, printed: () => text, output: () => output, ended, prints };
}
