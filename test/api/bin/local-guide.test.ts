// docs/local.md as a reader uses it: the commands about the page for credentials, typed into one shell, against
// `npm start`.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAddresses, resolveHome } from '#lib/local/home.ts';
import { sampleOrdersUrl } from '#lib/local/sample-orders.ts';
import { fillIn, openPage } from '#test/support/agent-config.ts';
import { type LocalStart, startLocal } from '#test/support/local-start.ts';

const root = new URL('../../../', import.meta.url);
const sample = 'events/flows/my-orders.json';

/** The folder of the project as far as the reader sees it, with the data and the shop of this test. */
let folder: string;
let service: LocalStart;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-guide-'));
  const home = join(folder, '.local');
  service = await startLocal(home);
  const shop = readAddresses(resolveHome(home))?.ordersUrl ?? '';
  const flow = await readFile(new URL(sample, root), 'utf8');
  await mkdir(join(folder, 'events/flows'), { recursive: true });
  await writeFile(join(folder, sample), flow.replaceAll(sampleOrdersUrl, shop));
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The commands of a section, block by block. */
async function readBlocks(page: string, heading: string): Promise<string[]> {
  const text = await readFile(new URL(page, root), 'utf8');
  const [, after = ''] = text.split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  return [...section.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, commands = '']) => commands);
}

/** Resolves to the lines that a block of commands prints. */
function openShell(cwd: string) {
  const shell = spawn('sh', ['-eu'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  const type = async (commands: string) => {
    shell.stdin.write(`${commands}\necho "That was all."\n`);
    const printed: string[] = [];
    for (let line = await lines.next(); line.value !== 'That was all.'; line = await lines.next()) {
      if (line.done) throw new Error(`The shell ended after ${JSON.stringify(printed)} of:\n${commands}`);
      printed.push(line.value);
    }
    return printed;
  };
  return { type, close: () => shell.stdin.end() };
}

test('the page for credentials can be tried with the commands of docs/local.md, which print what it says', async () => {
  const blocks = await readBlocks('docs/local.md', 'The page for credentials');
  const [register = '', ask = '', read = '', remove = ''] = blocks;
  expect(blocks).toHaveLength(4);
  expect(register).toContain('BASE_URL=http://127.0.0.1:3000');
  const shell = openShell(folder);
  expect(await shell.type(register.replace('http://127.0.0.1:3000', service.ready.baseUrl))).toEqual([
    'live',
  ]);
  const [state, link = ''] = await shell.type(ask);
  expect(state).toBe('TASK_STATE_AUTH_REQUIRED');
  const form = await openPage(link);
  expect(form.text).toMatch(
    /My orders needs Your access to the shop.* 127\.0\.0\.1 and nowhere else.* You only/,
  );
  const stored = await fillIn(link, { token: 'any' });
  expect(stored.status).toBe(303);
  const after = async () => (await openPage(stored.location ?? '')).text;
  await expect.poll(after, { timeout: 200_000 }).toContain('Task: completed');
  expect(await shell.type(read)).toEqual(['TASK_STATE_COMPLETED', 'Your order 1042 is shipped.']);
  expect((await openPage(link)).html).not.toContain('<form');
  expect(await shell.type(`${ask.split('\n')[0]}\ntask .status.state`)).toEqual(['TASK_STATE_COMPLETED']);
  expect(await shell.type(remove)).toEqual([]);
  expect(await shell.type(ask)).toEqual(['TASK_STATE_AUTH_REQUIRED', expect.stringContaining('&token=')]);
  shell.close();
});
