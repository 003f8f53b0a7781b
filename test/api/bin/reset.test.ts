// `npm run reset`, in a home that a person uses for other things too.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLocal } from '#test/support/local-start.ts';
import { runScript } from '#test/support/run-script.ts';

let folder: string;
let home: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-reset-'));
  home = join(folder, 'home');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function reset(): Promise<{ readonly code: number | null; readonly printed: string }> {
  const script = runScript('reset', [], { AGENT_FLOW_HOME: home });
  return { code: await script.ended, printed: script.printed().trim() };
}

/** Files of a person, where the service has files of its own. */
async function writeOwn(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(home, name, '..'), { recursive: true });
    await writeFile(join(home, name), 'mine');
  }
}

const filesLeft = async () => {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
};

test('refuses to reset a running service; after it was killed, deletes only the files that it created', async () => {
  await writeOwn('src/thesis.txt', 'data/notes.txt');
  const service = await startLocal(home);
  expect(await reset()).toEqual({ code: 1, printed: `A service is using ${home}: stop it first.` });
  expect(await service.send('GET /health')).toBeDefined();
  await service.stop('SIGKILL');
  expect(await reset()).toEqual({
    code: 0,
    printed: `The data of the service in ${home} was deleted; the next npm start creates new sample data.`,
  });
  expect(await filesLeft()).toEqual(['notes.txt', 'thesis.txt']);
});

test('deletes a home that has no other files', async () => {
  await startLocal(home).then(({ stop }) => stop());
  expect(await reset()).toEqual({
    code: 0,
    printed: `${home} was deleted; the next npm start creates new sample data.`,
  });
  expect(await readdir(folder)).toEqual([]);
  expect(await reset()).toEqual({ code: 0, printed: `${home} is empty: there is nothing to delete.` });
});

test('refuses a folder that is not the home of a service, and deletes nothing in it', async () => {
  await writeOwn('src/thesis.txt', 'data/notes.txt', 'api-key');
  expect(await reset()).toEqual({
    code: 1,
    printed: `${home} is not the home of a local service, so nothing was deleted.`,
  });
  expect(await filesLeft()).toEqual(['api-key', 'notes.txt', 'thesis.txt']);
  expect(await readFile(join(home, 'api-key'), 'utf8')).toBe('mine');
});
