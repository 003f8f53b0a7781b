// Starts a script of `bin/` in a separate process, as a user does.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { inject } from 'vitest';

export interface Script {
  readonly child: ChildProcess;
  /** All that it has printed so far, both streams. */
  readonly printed: () => string;
  /** What it has printed to stdout alone. */
  readonly output: () => string;
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number | null>;
  /** Resolves once it has printed the text; rejects when it ends without. */
  readonly prints: (text: string) => Promise<void>;
}

/** For the environment of a shell that was never set up for AWS. */
export const unsetAws: NodeJS.ProcessEnv = {
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_PROFILE: undefined,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
};

export function runScript(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Script {
  const child = spawn(process.execPath, [`bin/${name}.ts`, ...args], { env: { ...shell(), ...env } });
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
      if (child.exitCode !== null)
        throw new Error(`bin/${name}.ts ended without printing "${wanted}":\n${text}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
    }
  };
  return { child, printed: () => text, output: () => output, ended, prints };
}

/** Without the variables of the functions, which the tests have too. */
function shell(): NodeJS.ProcessEnv {
  const { environment } = inject('service');
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in environment)));
}
