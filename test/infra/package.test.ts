// The npm package of the engine, as a program outside of this repository has it: packed, extracted into a folder of
// its own, type-checked and run. Its dependencies are linked, so that nothing is downloaded.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '#lib/infra/bundle-folder.ts';
import { buildPackage, type PackageFiles } from '#lib/infra/package-files.ts';
import packageJson from '../../package.json' with { type: 'json' };

const run = promisify(execFile);

/** Outside of the repository, whose node_modules it cannot see. */
let folder: string;
let files: PackageFiles;
/** The program that uses the package. */
const program = () => join(folder, 'program');
const installed = () => join(program(), 'node_modules', packageJson.name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'));
  files = await buildPackage(join(folder, 'built'));
  await install();
  await writePrograms();
});

afterAll(() => rm(folder, { recursive: true }));

async function install(): Promise<void> {
  const options = ['--offline', '--cache', join(folder, 'cache'), '--pack-destination', folder];
  await run('npm', ['pack', ...options, join(folder, 'built')], { cwd: folder });
  await mkdir(installed(), { recursive: true });
  const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, archive), '-C', installed(), '--strip-components', '1']);
  const { dependencies, peerDependencies } = await readManifest();
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), '@types/node']) {
    const link = join(program(), 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link);
  }
}

const readManifest = async () => JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8'));

const page = await readFile(join(root, 'docs/package.md'), 'utf8');
const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

async function writePrograms(): Promise<void> {
  await writeFile(join(program(), 'package.json'), '{ "type": "module" }');
  for (const [index, code] of examples.entries()) await writeFile(join(program(), fileOf(index)), code);
}

/** Declarations of packages are checked, too. */
const compilerOptions = {
  ...{ target: 'es2024', lib: ['es2024', 'esnext.disposable'], module: 'nodenext' },
  ...{ moduleResolution: 'nodenext', types: ['node'], strict: true, noEmit: true, skipLibCheck: false },
};

const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };

const fileOf = (index: number): string => `example-${index + 1}.ts`;

const printedBy = async (file: string) =>
  (await run(process.execPath, [file], { cwd: program(), env: {} })).stdout;

async function typeCheck(options: object = {}): Promise<string> {
  const config = { compilerOptions: { ...compilerOptions, ...options } };
  await writeFile(join(program(), 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return await run(process.execPath, [compiler, '--project', program()]).then(
    () => '',
    (failed: { readonly stdout: string }) => failed.stdout,
  );
}

describe('the package', () => {
  it('contains the engine, and nothing of the service, its host or its secrets', () => {
    const engine = /^lib\/(builder|flow|json|drawing|egress|package|yaml)\/|^lib\/[\w-]+\.ts$/;
    const others = files.inputs.filter((path) => !engine.test(path));
    expect(others.sort()).toEqual([
      'lib/code/syntax.ts',
      'lib/connection/file-body.ts',
      'lib/connection/http-port.ts',
      'lib/connection/save-response.ts',
      'lib/run/compute/clock.ts',
    ]);
    const ofAws = [
      'aws',
      'aws-errors',
      'data-key-cache',
      'digest-key',
      'env',
      'envelope',
      'errors',
      'log',
      'metrics',
    ];
    const service = [...ofAws, 'queue', 'secret'].map((name) => `lib/${name}.ts`);
    expect(files.inputs.filter((path) => service.includes(path))).toEqual([]);
  });

  it('imports small packages, one for drawings, and modules of Node', async () => {
    const packages = files.imports.filter((name) => !name.startsWith('node:'));
    expect(packages).toEqual(['elkjs/lib/elk.bundled.js', 'jsonata', 're2js', 'ulid', 'uuid', 'yaml', 'zod']);
    const { dependencies, peerDependencies } = await readManifest();
    expect(Object.keys(dependencies)).toEqual(['jsonata', 're2js', 'ulid', 'uuid', 'yaml', 'zod']);
    expect(Object.keys(peerDependencies)).toEqual(['elkjs']);
  });

  it('has modules, types, a manifest, a licence and a page, and no sources', async () => {
    const all = await readdir(installed(), { recursive: true, withFileTypes: true });
    const names = all.filter((each) => each.isFile()).map(({ name }) => name);
    expect(names.filter((name) => !/\.d\.ts$|\.js$/.test(name)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
  });

  it('draws a flow', async () => {
    const code = `import { checkFlow } from '${packageJson.name}';
import { drawFlow } from '${packageJson.name}/draw';
const checked = checkFlow({ version: 1, name: 'One', start: 'done', nodes: { done: { type: 'end', output: {} } } });
if (checked.ok) console.log(await drawFlow(checked.flow));`;
    await writeFile(join(program(), 'draw.ts'), code);
    expect(await printedBy('draw.ts')).toMatch(/^<svg [\s\S]*>done</);
  });
});

describe('docs/package.md', () => {
  it('begins with an example of 15 lines that asks, pauses and resumes', async () => {
    expect(examples[0]?.trim().split('\n')).toHaveLength(15);
    expect(await printedBy(fileOf(0))).toBe("{ status: 'completed', response: { text: 'Hello Ada!' } }\n");
  });

  it('has an example with ports, whose model answers', async () => {
    const printed = await printedBy(fileOf(1));
    expect(printed).toContain('completed answer');
    expect(printed).toContain("{ status: 'completed', response: { text: 'You said: Hi' } }");
  });

  it('has an example of the builder, whose flow passes the check', async () => {
    expect(await printedBy(fileOf(2))).toBe('true order\n');
  });

  it('has examples that compile against the types of the package, which are checked too', async () => {
    expect(await typeCheck()).toBe('');
    expect(await typeCheck(strictest)).toBe('');
  });

  it('has types that refuse a wrong program', async () => {
    const file = join(program(), 'wrong.ts');
    const wrong = [
      `import { runFlow } from '${packageJson.name}';`,
      `import { flow } from '${packageJson.name}/builder';`,
      "await runFlow('flow', { patience: 1 });",
      "const f = flow({ name: 'Wrong', ids: ['a'], input: { type: 'object', properties: {} } });",
      "f.end('b', { output: {} });",
      "f.end('a', { output: { x: f.input.user_variables.y } });",
    ];
    await writeFile(file, wrong.join('\n'));
    const found = [...(await typeCheck()).matchAll(/wrong\.ts\((\d+),\d+\): error (TS\d+)/g)];
    expect(found.map(([, line, code]) => `${line} ${code}`)).toEqual(['3 TS2345', '5 TS2345', '6 TS2339']);
    await rm(file);
  });

  it('lists each function of the package', async () => {
    const code = `const entries = ['', '/builder', '/draw'].map((entry) => import('${packageJson.name}' + entry));
console.log((await Promise.all(entries)).flatMap(Object.keys).join());`;
    await writeFile(join(program(), 'names.ts'), code);
    const names = (await printedBy('names.ts')).trim().split(',');
    expect(names).toEqual(expect.arrayContaining(['checkFlow', 'flow', 'drawFlow']));
    expect(names.filter((name) => !new RegExp(`\`(\` )?${name}\\b`).test(page))).toEqual([]);
  });
});
