// Commands of operators, run against the host of the drills as from a shell.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../run-script.ts';

export interface OperatorShell {
  /** What a command of `bin/` prints. The tenant is that of the environment unless `names` says otherwise. */
  readonly run: (
    script: string,
    args: readonly string[],
    options?: { readonly environment?: Readonly<Record<string, string>>; readonly names?: 'itself' },
  ) => Promise<{ readonly code: number | null; readonly printed: string; readonly output: string }>;
  readonly fileNamed: (name: string) => string;
  readonly close: () => void;
}

export function openShell(own: Readonly<Record<string, string>>): OperatorShell {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-drills-'));
  const fileNamed = (name: string) => join(folder, name);
  return {
    fileNamed,
    run: async (name, args, { environment = own, names } = {}) => {
      const file = fileNamed('environment.json');
      writeFileSync(file, JSON.stringify(environment));
      const script = runScript(name, names ? args : [...args, '--environment', file], environment);
      script.child.stdin?.end();
      return { code: await script.ended, printed: script.printed(), output: script.output() };
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** The line of an output that matches, without ids, times and paths; `no such line` if none does. */
export const quoteLine = (printed: string, pattern: RegExp): string => {
  const line = printed.split('\n').find((each) => pattern.test(each));
  return line === undefined ? 'no such line' : `\`${line.trim()}\``;
};
