// Runs a script in a separate process, so that measurements do not share a heap, compiled code or loaded
// modules.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

interface ChildOptions {
  /** Options of Node, such as the size of the heap. */
  readonly nodeArgs?: readonly string[];
  readonly args?: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Resolves to the JSON that the script printed; rejects if it fails. */
export async function printedBy(script: URL, options: ChildOptions = {}): Promise<unknown> {
  const { nodeArgs = [], args = [], environment } = options;
  const { stdout } = await execute(process.execPath, [...nodeArgs, fileURLToPath(script), ...args], {
    env: { ...environment },
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}
