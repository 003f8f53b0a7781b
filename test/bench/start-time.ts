// From `node bin/local.ts` in an empty home to the first answer of the example agent's trigger.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { root } from '#lib/infra/bundle-folder.ts';
import { retryOverload } from '#test/support/retry-overload.ts';
import { type Row, toFigure } from './row.ts';

const repetitions = 3;
const readyFile = z.object({
  baseUrl: z.string(),
  workspaceid: z.string(),
  flowid: z.string(),
  apiKey: z.string(),
});
const result = z.object({ status: z.literal('completed') });

export async function startRows(): Promise<Row[]> {
  const seconds: number[] = [];
  for (let n = 0; n < repetitions; n++) seconds.push(await secondsToFirstAnswer());
  return [{ what: 'start to the first answer of the trigger', unit: 's', ours: toFigure(seconds) }];
}

async function secondsToFirstAnswer(): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'bench-start-'));
  const start = performance.now();
  const local = spawn(process.execPath, ['bin/local.ts'], {
    cwd: root,
    env: { ...process.env, AGENT_FLOW_HOME: home, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 240_000,
  });
  const ended = once(local, 'exit');
  try {
    await ready(local);
    await triggerOnce(home);
    return (performance.now() - start) / 1_000;
  } finally {
    local.kill('SIGINT');
    await ended;
    await rm(home, { recursive: true, force: true });
  }
}

async function ready({ stdout }: ChildProcess): Promise<void> {
  if (!stdout) throw new Error('Expected the output of the service as a stream.');
  for await (const line of createInterface({ input: stdout })) if (line.includes('is ready')) return;
  throw new Error('The service ended before it was ready; its reason is above.');
}

async function triggerOnce(home: string): Promise<void> {
  const { baseUrl, workspaceid, flowid, apiKey } = readyFile.parse(
    JSON.parse(await readFile(join(home, 'ready.json'), 'utf8')),
  );
  const response = await retryOverload(() =>
    fetch(`${baseUrl}/api/v1/ai/trigger/${workspaceid}/${flowid}/live`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
      body: JSON.stringify({ message: 'Where is my order 1042?', user_variables: {} }),
    }),
  );
  const text = await response.text();
  if (response.status !== 200) throw new Error(`The trigger answered ${response.status}: ${text}`);
  result.parse(JSON.parse(text));
}
