// What the files of a function promise to a cold start, shown on a small one.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
    for (const [name, text] of Object.entries(sources)) await writeFile(join(folder, 'source', name), text);
    const entryPoints = [{ in: join(folder, 'source/main.ts'), out: 'main' }];
    const chunks = await splitSources([], join(folder, 'chunks'), { entryPoints });
    const bundler = await openBundler(chunks);
    files = await bundler.bundle('main');
    await bundler.close();
    await mkdir(join(folder, 'to'));
    for (const { path, contents } of files.files)
      await writeFile(join(folder, 'to', basename(path)), contents);
    run = await started(join(folder, 'to/index.mjs'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are two files for a cold start, and others that are loaded later', async () => {
    const names = (await readdir(join(folder, 'to'))).filter((name) => name.endsWith('.mjs'));
    expect(names.length).toBeGreaterThan(3);
    const [file = '', ...others] = await findImports('index.mjs');
    expect(others).toEqual([]);
    expect(await findImports(file)).toEqual([]);
    expect(files.eager).toBeGreaterThan(0);
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

/** In a process of its own, which prints what is loaded before the handler runs. */
async function started(file: string): Promise<z.infer<typeof output>> {
  const script = `
    const { handler, uses } = await import(${JSON.stringify(file)});
    const loaded = [...process.moduleLoadList];
    console.log(JSON.stringify({ uses, loaded, answer: await handler() }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return output.parse(JSON.parse(stdout));
}
