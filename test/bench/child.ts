// Runs a measuring script in a process of its own, so that no subject inherits another's heap, compiled code or loaded modules.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

interface ChildOptions {
  readonly args?: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What the script printed, as JSON. */
export async function printedBy(script: URL, options: ChildOptions = {}): Promise<unknown> {
  const { stdout } = await execute(process.execPath, [fileURLToPath(script), ...(options.args ?? [])], {
    env: { ...options.environment },
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}
