// `npm run backup` and `npm run restore`, rehearsed: a tenant is damaged, restored into new tables, verified and switched.
// The control plane of DynamoDB is that of test/support/table-backups.ts; the tables are those of the embedded engine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { forkHost } from '#test/support/forked-host.ts';
import { type OwnTables, startOwnTables } from '#test/support/own-tables.ts';
import { type PopulatedOrganisation, populate } from '#test/support/populated-organisation.ts';
import { runScript } from '#test/support/run-script.ts';
import { startTableBackups } from '#test/support/table-backups.ts';

let tables: OwnTables;
let one: PopulatedOrganisation;
let plane: Awaited<ReturnType<typeof startTableBackups>>;
let folder: string;
let at: string;
beforeAll(async () => {
  tables = await startOwnTables();
  one = await populate('canary-of-one');
  await tables.idle();
  const { AWS_ENDPOINT_URL_DYNAMODB = '', CONTROL_TABLE = '', RUNS_TABLE = '' } = tables.service.environment;
  plane = await startTableBackups(AWS_ENDPOINT_URL_DYNAMODB, [CONTROL_TABLE, RUNS_TABLE]);
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-restore-'));
  at = new Date().toISOString();
  await plane.remember();
  await runBackup('create', '--name', 'before-migration');
  for (const table of ['control', 'runs'] as const)
    for (const item of (await tables.readAll(table)).filter(({ pk }) => /^(AGENT|RUN)#/.test(pk)))
      await tables.remove(table, item);
});
afterAll(async () => {
  await plane.close();
  await tables.stop();
  await rm(folder, { recursive: true });
});

async function run(name: string, args: readonly string[]) {
  const file = join(folder, 'environment.json');
  const environment = { ...tables.service.environment, AWS_ENDPOINT_URL_DYNAMODB: plane.url };
  await writeFile(file, JSON.stringify(environment));
  const script = runScript(name, [...args, '--environment', file], environment);
  return { code: await script.ended, printed: script.printed(), output: script.output() };
}
const runBackup = (...args: string[]) => run('backup', args);

describe('a tenant whose builds and runs were deleted', () => {
  test('does not agree', async () => {
    expect((await run('verify', [])).code).toBe(3);
  });

  test.each([
    ['at a time', () => ['--at', at]],
    ['from a backup', () => ['--backup', 'before-migration']],
  ])('is restored %s, agrees, and serves its agents from the new tables', async (_, options) => {
    const { code, printed, output } = await run('restore', options());
    expect(code, printed).toBe(0);
    const { control, runs } = JSON.parse(output).tables;
    const verified = await run('verify', ['--control-table', control, '--runs-table', runs]);
    expect(verified).toMatchObject({ code: 0, printed: expect.stringContaining('All agrees') });
    const environment = { ...tables.service.environment, CONTROL_TABLE: control, RUNS_TABLE: runs };
    const host = await forkHost({ secondInstanceOf: { ...tables.service, environment } });
    tables.reachAt(host.service);
    const params = { workspace_id: one.agent.workspaceid, trigger_id: one.agent.flowid, environment: 'live' };
    const { body } = await call('triggerFlow', { key: one.agent.key, params, body: { message: 'again' } });
    expect(body).toMatchObject({ status: 'completed', response: { said: 'again' } });
    const before = { workspace_id: one.agent.workspaceid, workflow_id: one.endedRun };
    expect((await call('getRun', { key: one.agent.key, params: before })).body.status).toBe('completed');
    await host.stop();
  });

  test('the new tables have the settings of the old ones, which a restore does not keep', () => {
    const restored = [...plane.settings].filter(([name]) => name.includes('-restored-'));
    expect(restored).toHaveLength(4);
    for (const [, { ttl, pitr, isProtected, tags }] of restored)
      expect({ ttl, pitr, isProtected, tags }).toEqual({
        ttl: 'ttl',
        pitr: true,
        isProtected: true,
        tags: [{ Key: 'tenant', Value: 'test' }],
      });
  });

  test('the same command continues a restore that was begun', async () => {
    const begun = plane.calls.filter((each) => each === 'RestoreTableToPointInTime').length;
    expect((await run('restore', ['--at', at])).code).toBe(0);
    expect(plane.calls.filter((each) => each === 'RestoreTableToPointInTime')).toHaveLength(begun);
  });
});

test('backup list shows the times and the backups of both tables', async () => {
  const { code, output } = await runBackup('list');
  expect(code).toBe(0);
  expect(output.match(/\d{4}-\S+Z to \d{4}-\S+Z/g)).toHaveLength(2);
  expect(output.match(/before-migration {2}\S+Z {2}AVAILABLE/g)).toHaveLength(2);
});

test.each([
  ['a time outside of the window', ['--at', '2020-01-01T00:00:00Z'], 'can be restored to times from'],
  ['a backup that does not exist', ['--backup', 'other'], 'has no backup other'],
])('%s is refused before anything is begun', async (_, args, said) => {
  const before = plane.settings.size;
  expect(await run('restore', args)).toMatchObject({ code: 1, printed: expect.stringContaining(said) });
  expect(plane.settings.size).toBe(before);
});

test.each([
  ['restore', ['--at', 'yesterday'], 'must be a time such as'],
  ['restore', [], 'Expected either --at or --backup.'],
  ['backup', [], 'Expected the command "list" or "create".'],
  ['backup', ['create', '--name', 'a b'], '--name must be'],
])('%s %j is refused with the usage', async (name, args, said) => {
  expect(await run(name, args)).toMatchObject({ code: 2, printed: expect.stringContaining(said) });
});
