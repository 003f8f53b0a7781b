// The packages whose modules the bundler replaces still have those modules. Each test fails when an update of
// a package moves or renames what is replaced, since the rewrite would then silently stop working.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '#lib/infra/bundle-folder.ts';
import { forLambda } from '#lib/infra/bundle-function.ts';
import { smallMcp } from '#lib/infra/bundle-mcp.ts';
import { smallZod } from '#lib/infra/bundle-zod.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rewrites-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function bundle(name: string, contents: string): Promise<{ file: string; inputs: string[] }> {
  const { metafile } = await build({
    ...forLambda,
    stdin: { contents, resolveDir: root },
    outdir: folder,
    entryNames: name,
    banner: { js: 'const require = (id) => process.getBuiltinModule(id);' },
    plugins: [smallZod, smallMcp],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  return { file: join(folder, `${name}.mjs`), inputs };
}

test('the MCP client has its own copy of zod, and no Ajv', async () => {
  const { inputs } = await bundle('mcp', "export { openSession } from '#lib/mcp/session.ts';");
  expect(inputs).toContainEqual(expect.stringMatching(/^mcp-platform:/));
  expect(inputs.filter((input) => /node_modules\/ajv/.test(input))).toEqual([]);
  expect(inputs).toContainEqual(expect.stringMatching(/^zod-of-lazy-clients:.*\/locales\/en\.js$/));
  expect(inputs.filter((input) => /\/locales\/(?!en\.|index\.)/.test(input))).toEqual([]);
});

test('the model client has its own copy of zod', async () => {
  const { inputs } = await bundle('model', "export { generateText } from 'ai';");
  expect(inputs).toContainEqual(expect.stringMatching(/^zod-of-lazy-clients:/));
});

test('zod compiles no parsers', async () => {
  const { file } = await bundle('zod', "import * as z from 'zod'; export const settings = z.config();");
  const loaded: { settings: unknown } = await import(pathToFileURL(file).href);
  expect(loaded.settings).toMatchObject({ jitless: true });
});
