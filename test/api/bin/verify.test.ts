// `npm run verify`, as an operator runs it against the tables of a running service.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { type OwnTables, startOwnTables } from '#test/support/own-tables.ts';
import { runScript } from '#test/support/run-script.ts';

let tables: OwnTables;
let folder: string;
let flowid: string;
beforeAll(async () => {
  tables = await startOwnTables();
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-verify-'));
  const caller = await newCaller();
  const row = await newRow(caller);
  await promoted(caller, row);
  flowid = row.flowid;
});
afterAll(async () => {
  await tables.stop();
  await rm(folder, { recursive: true });
});

async function run(args: readonly string[], some: Readonly<Record<string, string>> = {}) {
  const file = join(folder, 'environment.json');
  await writeFile(file, JSON.stringify({ ...tables.service.environment, ...some }));
  const script = runScript('verify', ['--environment', file, ...args], tables.service.environment);
  return { code: await script.ended, printed: script.printed(), output: script.output() };
}

test('counts the items of a tenant that agrees, and exits with 0', async () => {
  const { code, printed } = await run([]);
  expect({ code, printed }).toEqual({
    code: 0,
    printed: expect.stringMatching(/1 registry row\n.*All agrees: \d+ items of test\./s),
  });
});

test('names what does not agree and the cure, and exits with 3', async () => {
  const item = (await tables.readAll('control')).find(
    ({ pk, sk }) => pk === `FLOW#${flowid}` && sk !== 'OWNER',
  );
  await tables.put('control', { ...item, build_count: 3 });
  const { code, printed } = await run([]);
  expect({ code, printed }).toMatchObject({
    code: 3,
    printed: expect.stringContaining(`build-count: control FLOW#${flowid} WS#`),
  });
  const json = await run(['--json']);
  expect(json.code).toBe(3);
  expect(JSON.parse(json.output)).toMatchObject({ tenant: 'test', found: { 'build-count': 1 } });
  await tables.put('control', { ...item });
});

test('with --state the same command continues after an interruption, and exits with 1 before', async () => {
  const state = join(folder, 'state.json');
  let scans = 0;
  const failing = { status: 400, error: { __type: 'AccessDeniedException', message: 'No.' } };
  const judge = (operation: string): Verdict => {
    if (operation === 'Scan') scans += 1;
    return operation === 'Scan' && scans > 2 ? failing : 'pass';
  };
  const proxy = await startAwsProxy(tables.service.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', judge);
  const broken = await run(['--state', state], { AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
  await proxy.close();
  expect(broken).toMatchObject({ code: 1, printed: expect.stringContaining('the same command continues') });
  const places: { done: boolean }[] = JSON.parse(await readFile(state, 'utf8')).walk.places;
  expect(places.filter(({ done }) => done)).toHaveLength(2);
  expect(await run(['--state', state])).toMatchObject({ code: 0 });
  await expect(readFile(state)).rejects.toThrow('ENOENT');
});

test('prints the checks with what to do', async () => {
  const script = runScript('verify', ['--checks']);
  expect(await script.ended).toBe(0);
  expect(script.output()).toContain('live-pointer: the build to which a flow points exists');
});

test.each([
  ['no tenant', [], 'Expected either --tenant or --environment.'],
  ['two tenants', ['--tenant', 'a', '--environment', 'b'], 'Expected either --tenant or --environment.'],
  ['too many segments', ['--tenant', 'a', '--segments', '65'], '--segments must be an integer from 1 to 64.'],
  ['a command', ['--tenant', 'a', 'now'], 'Expected no command.'],
])('%s is refused with the usage', async (_, args, said) => {
  const script = runScript('verify', args);
  expect(await script.ended).toBe(2);
  expect(script.printed()).toContain(said);
});

test('a file that is no environment is one line', async () => {
  const script = runScript('verify', ['--environment', join(folder, 'none.json')]);
  expect(await script.ended).toBe(1);
  expect(script.printed()).toContain('Nothing was verified: ');
});
