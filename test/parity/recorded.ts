// The commands that the service itself sends: what the API tests make it ask of dynoxide is written down, and
// asked of DynamoDB Local.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '#lib/infra/bundle-folder.ts';
import { exchange } from '#test/support/recording.ts';
import { findDifference } from './answers.ts';
import type { Engines } from './engines.ts';

/** How many commands agreed, by operation, and what differed. */
export interface Comparison {
  readonly commands: ReadonlyMap<string, number>;
  readonly differences: readonly string[];
  /** Commands of tests that failed are compared too. */
  readonly testsPassed: boolean;
}

/** `tests`: paths of API tests, as vitest takes them. */
export async function compareRecorded(engines: Engines, tests: readonly string[]): Promise<Comparison> {
  const folder = await mkdtemp(join(tmpdir(), 'parity-'));
  try {
    const file = join(folder, 'exchanges.ndjson');
    await writeFile(file, '');
    const testsPassed = await record(file, tests);
    return { ...(await replay(file, engines)), testsPassed };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Whether the tests passed. */
async function record(file: string, tests: readonly string[]): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project', 'api', '--project', 'isolated', '--reporter', 'dot', ...tests],
    {
      cwd: root,
      env: { ...process.env, RECORD_DYNAMODB: file, AGENT_FLOW_DYNAMODB: 'dynoxide' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function replay(file: string, { dynamoDbLocal }: Engines) {
  const commands = new Map<string, number>();
  const differences: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { operation, command, answer } = exchange.parse(JSON.parse(line));
    const other = await dynamoDbLocal({ operation, command });
    if (!answer && other.status !== 200)
      throw new Error(`DynamoDB Local did not create a table of the service: ${JSON.stringify(other.body)}`);
    // Only tests scan, and where the pages of a scan end AWS leaves open.
    if (!answer || operation === 'Scan') continue;
    commands.set(operation, (commands.get(operation) ?? 0) + 1);
    const difference = findDifference({ operation, command }, answer, other);
    if (difference !== undefined) differences.push(difference);
  }
  return { commands, differences };
}
