// The types that docs/code-node.d.ts gives to editors.
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'code-types-'));
  await copyFile(root('docs/code-node.d.ts'), join(folder, 'code-node.d.ts'));
  const [, config = ''] =
    /`(\{"compilerOptions.*?\})`/.exec(await readFile(root('docs/flows/code.md'), 'utf8')) ?? [];
  await writeFile(join(folder, 'jsconfig.json'), config);
});
afterAll(() => rm(folder, { recursive: true }));

/** The mistakes that the TypeScript compiler finds in the body of the code, one a line. */
async function findMistakes(body: string): Promise<string[]> {
  const head = `/// <reference path="./code-node.d.ts" />
/** @type {Code<{ rows: { cat: string, price: number }[] }>} */
export default (input) => {`;
  await writeFile(join(folder, 'code.js'), `${head}\n${body}\n};\n`);
  const { stdout } = spawnSync(root('node_modules/.bin/tsc'), ['--noEmit', '-p', 'jsconfig.json'], {
    encoding: 'utf8',
    cwd: folder,
  });
  return [...stdout.matchAll(/error TS\d+: (.*)/g)].map(([, message = '']) => message);
}

test('code without a mistake has none', async () => {
  const body =
    'return { prices: input.rows.map(({ price }) => price).toSorted(), at: new Date(), none: undefined };';
  expect(await findMistakes(body)).toEqual([]);
});

test.each([
  ['return input.rows[0]?.cost ?? 0;', "Property 'cost' does not exist"],
  ['return typeof process.env;', "Cannot find name 'process'"],
  ['return typeof fetch("https://example.com");', "Cannot find name 'fetch'"],
  ['return new Map();', 'Map<any, any>'],
  ['return 1n;', 'bigint'],
])('%s is underlined', async (body, mistake) => {
  expect(await findMistakes(body)).toEqual([expect.stringContaining(mistake)]);
});
