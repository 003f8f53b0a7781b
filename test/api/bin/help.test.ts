// `--help` of the scripts that people run, and arguments of those that take none.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScript, unsetAws } from '#test/support/run-script.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-flow-help-'));
});
afterAll(() => rm(home, { recursive: true }));

async function run(name: string, args: readonly string[]) {
  const script = runScript(name, args, { ...unsetAws, AGENT_FLOW_HOME: home });
  script.child.stdin?.end();
  const code = await script.ended;
  return { code, printed: script.printed(), output: script.output() };
}

describe('--help prints the usage, and the exit code is 0:', () => {
  test.each([
    ['flow', ['--help'], 'run a flow here, without a service'],
    ['flow', ['run', 'missing.json', '-h'], '--allow-private <host:port>'],
    ['keys', ['--help'], 'Usage: npm run keys'],
    ['keys', ['issue', '--help'], 'Usage: npm run keys'],
    ['members', ['--help'], 'Usage: npm run members'],
    ['dlq', ['-h'], 'Usage: npm run dlq'],
    ['reset', ['--help'], 'Usage: npm run reset'],
    ['demo', ['--help'], 'Usage: npm run demo'],
    ['local', ['--help'], 'MODEL_KEY_…'],
  ])('%s %j', async (name, args, said) => {
    const { code, output } = await run(name, args);
    expect(code).toBe(0);
    expect(output).toContain(said);
  });
});

test.each([
  ['local', ['--port', '3001'], /Unknown option '--port'\.\n\nUsage: npm start/],
  ['local', ['3001'], /Expected no arguments, got 3001\..*PORT/s],
  ['reset', ['--all'], /Unknown option '--all'.*Usage: npm run reset/s],
  ['demo', ['fast'], /Expected no arguments, got fast\..*Usage: npm run demo/s],
])('%s takes no arguments: %j is refused before anything happens', async (name, args, said) => {
  const { code, printed } = await run(name, args);
  expect(code).toBe(2);
  expect(printed).toMatch(said);
  expect(await readdir(home)).toEqual([]);
});
