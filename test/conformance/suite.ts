// Runs the official suite as a program, and reads the results that it writes.
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Revision } from './waivers.ts';

/** Longer than the whole suite takes. */
const timeoutMs = 300_000;

const check = z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() });

export interface ScenarioResult {
  readonly scenario: string;
  /** The checks that did not pass, with what was expected. */
  readonly failures: readonly string[];
  readonly checks: number;
}

/** All scenarios that a revision requires. */
export const runSuite = async (url: string, revision: Revision): Promise<ScenarioResult[]> =>
  await run(['server', '--url', url, '--requirements', revision]);

/** One scenario again. Some give a response half a second, which a busy machine may need for something else. */
export const runScenario = async (
  url: string,
  revision: Revision,
  scenario: string,
): Promise<ScenarioResult[]> =>
  await run(['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--force']);

/** All scenarios for authorization servers, of which none may be skipped. `open` is called with the URL for the person. */
export async function runAuthorizationSuite(
  args: readonly string[],
  open: (url: string) => Promise<void>,
): Promise<ScenarioResult[]> {
  return await run(['authorization', ...args], { open, faults: [...failedStatuses, 'SKIPPED'] });
}

interface RunOptions {
  readonly open?: (url: string) => Promise<void>;
  /** The statuses of checks that did not pass. */
  readonly faults?: readonly string[];
}

const failedStatuses = ['FAILURE', 'WARNING'];

async function run(args: readonly string[], options: RunOptions = {}): Promise<ScenarioResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const printed = await runProgram([...args, '-o', folder], options.open);
    const results = await readResults(folder, options.faults ?? failedStatuses);
    if (results.length === 0) throw new Error(`The suite wrote no results:\n${printed}`);
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What it prints. Its exit code counts scenarios that waivers cover. */
function runProgram(args: readonly string[], open?: RunOptions['open']): Promise<string> {
  const manifest = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'));
  const program = join(dirname(manifest), 'dist', 'index.js');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile(
    process.execPath,
    [program, ...args],
    { timeout: timeoutMs, maxBuffer: 2 ** 26 },
    (error, stdout, stderr) =>
      error?.killed ? reject(new Error('The suite took too long.')) : resolve(stdout + stderr),
  );
  if (open)
    openPrinted(child, open).catch((error) => {
      reject(error);
      child.kill();
    });
  return promise;
}

/** Opens the first URL that the program prints on a line of its own. */
async function openPrinted(child: ChildProcess, open: (url: string) => Promise<void>): Promise<void> {
  if (!child.stdout) return;
  for await (const line of createInterface(child.stdout)) if (URL.canParse(line)) return await open(line);
}

/** One folder for each scenario, with its name and the time. */
async function readResults(folder: string, faults: readonly string[]): Promise<ScenarioResult[]> {
  const folders = (await readdir(folder)).sort();
  return await Promise.all(
    folders.map(async (name): Promise<ScenarioResult> => {
      const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
      const checks = z.array(check).parse(JSON.parse(text));
      const failed = checks.filter(({ status }) => faults.includes(status));
      return {
        scenario: readScenario(name),
        failures: failed.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`),
        checks: checks.length,
      };
    }),
  );
}

const readScenario = (folder: string): string =>
  folder.replace(/^(authorization-)?server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
