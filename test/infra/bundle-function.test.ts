// What the files of a function promise to a cold start, shown on a small one.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { splitSources } from '#lib/infra/bundle-chunks.ts';
import { type FunctionFiles, openBundler } from '#lib/infra/bundle-function.ts';

const sources = {
  'main.ts': `
    import { request } from 'node:http';
    import { readFileSync } from 'node:fs';
    import { count, state } from './state.ts';
    export const handler = async () => {
      count();
      const [one, two] = await Promise.all([import('./one.ts'), import('./two.ts')]);
      return [state.calls, one.calls(), await two.calls(), (await import('./state.ts')).state.calls];
    };
    export const uses = [request, readFileSync].map(({ name }) => name);`,
  'state.ts': `
    export const state = { calls: 0 };
    export const count = () => { state.calls += 1; };`,
  'shared.ts': `
    import { count } from './state.ts';
    export const twice = () => { count(); count(); };`,
  'one.ts': `
    import { twice } from './shared.ts';
    import { state } from './state.ts';
    export const calls = () => { twice(); return state.calls; };`,
  'two.ts': `
    import { promises } from 'node:fs';
    import { twice } from './shared.ts';
    export const calls = async () => { twice(); return promises && (await import('./state.ts')).state.calls; };`,
};

const output = z.object({ uses: z.array(z.string()), answer: z.unknown(), loaded: z.array(z.string()) });

describe('the files of a function', () => {
  let folder = '';
  let files: FunctionFiles;
  let run: z.infer<typeof output>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    await mkdir(join(folder, 'source'));
    // As that of the project, below which the chunks of a build lie.
    await writeFile(join(folder, 'package.json'), '{"sideEffects":false}');
    for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, 'source', name), text);
    const entryPoints = [{ in: join(folder, 'source/main.ts'), out: 'main' }];
    const chunks = await splitSources([], join(folder, 'chunks'), { entryPoints });
    const bundler = await openBundler(chunks);
    files = await bundler.bundle('main', join(folder, 'to'));
    await bundler.close();
    run = await started(join(folder, 'to/index.mjs'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are at most four files for a cold start, and others that are loaded later', async () => {
    const names = (await readdir(join(folder, 'to'))).filter((name) => name.endsWith('.mjs'));
    const cold = new Set(['index.mjs']);
    for (const name of cold) for (const imported of await findImports(name)) cold.add(imported);
    expect(cold.size).toBeGreaterThan(1);
    expect(cold.size).toBeLessThan(5);
    expect(names.length).toBeGreaterThan(cold.size);
    expect(names.filter((name) => name.startsWith('cold-'))).toEqual([]);
    const bytes = await Promise.all([...cold].map((name) => readFile(join(folder, 'to', name))));
    expect(files.eager).toBe(bytes.reduce((sum, { length }) => sum + length, 0));
    expect(files.lazy).toBeGreaterThan(0);
  });

  const findImports = async (name: string) => {
    const text = await readFile(join(folder, 'to', name), 'utf8');
    return [...text.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)].map(([, imported = '']) => imported);
  };

  it('share common modules, of which a process has one instance', () => {
    expect(run.answer).toEqual([1, 3, 5, 5]);
  });

  it('load only the Node.js modules that they use', () => {
    expect(run.uses).toEqual(['request', 'readFileSync']);
    expect(run.loaded).toContain('NativeModule http');
    expect(run.loaded).not.toContain('NativeModule internal/deps/undici/undici');
    expect(run.loaded).not.toContain('NativeModule internal/fs/promises');
  });
});

describe('the files of a large function', () => {
  it('that a cold start loads have similar sizes, and each is evaluated after those that it imports', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    await mkdir(join(folder, 'source'));
    await writeFile(join(folder, 'package.json'), '{"sideEffects":false}');
    const names = Array.from({ length: 12 }, (_, n) => `part${n}`);
    const modules = names.map((name, n) => [
      name,
      `${n > 0 ? `import { list as former } from './part${n - 1}.ts';` : 'const former = [];'}
      export const list = [...former, '${name}', '${'x'.repeat(2_000)}'];`,
    ]);
    const handler =
      "import { list } from './part11.ts';\nexport const uses = list.filter((item) => item.length < 9);";
    for (const [name, text] of [...modules, ['main', `${handler}\nexport const handler = () => 0;`]])
      await writeFile(join(folder, 'source', `${name}.ts`), text ?? '');
    // Each module is reached by other functions than the next, and so has a chunk of its own.
    const entryPoints = ['main', ...names].map((name) => ({
      in: join(folder, `source/${name}.ts`),
      out: name,
    }));
    try {
      const bundler = await openBundler(await splitSources([], join(folder, 'chunks'), { entryPoints }));
      const to = join(folder, 'to');
      await bundler.bundle('main', to);
      await bundler.close();
      const made = await Promise.all((await readdir(to)).map((name) => stat(join(to, name))));
      const sizes = made.map(({ size }) => size).filter((size) => size > 1_000);
      expect(sizes).toHaveLength(3);
      expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.5);
      expect((await started(join(to, 'index.mjs'))).uses).toEqual(names);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** In a process of its own, which prints what is loaded before the handler runs. */
async function started(file: string): Promise<z.infer<typeof output>> {
  const script = `
    const { handler, uses } = await import(${JSON.stringify(file)});
    const loaded = [...process.moduleLoadList];
    console.log(JSON.stringify({ uses, loaded, answer: await handler() }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return output.parse(JSON.parse(stdout));
}
