// Builds the npm package of the engine: modules for Node and their types, without what this repository keeps to itself.
// Its entries are the `exports` of package.json, which name the sources here and the built files there.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from './bundle-folder.ts';
import { collectTypes } from './package-types.ts';

export interface PackageFiles {
  /** The source files that its modules contain, relative to the project. */
  readonly inputs: readonly string[];
  /** What its modules import: packages and modules of Node. */
  readonly imports: readonly string[];
}

interface Entry {
  /** The name in `exports`, such as `./draw`. */
  readonly name: string;
  /** Relative to the project. */
  readonly source: string;
}

const entries: readonly Entry[] = Object.entries(packageJson.exports).map(([name, source]) => ({
  name,
  source: source.replace('./', ''),
}));

const moduleName = ({ source }: Entry) => basename(source, '.ts');

/** Replaces the folder. */
export async function buildPackage(folder: string): Promise<PackageFiles> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const [metafile] = await Promise.all([buildModules(folder), buildTypes(folder)]);
  const files = listFiles(metafile);
  const written = JSON.stringify(describePackage(files), undefined, 2);
  await writeFile(join(folder, 'package.json'), `${written}\n`);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(
    join(folder, 'README.md'),
    withoutLinks(await readFile(join(root, 'docs/package.md'), 'utf8')),
  );
  return files;
}

/** Links to other documents of the repository lead nowhere in a package. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\((?!https:)[^)]*\)/g, '$1');

async function buildModules(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: entry.source, out: moduleName(entry) })),
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    // Parts of the engine that few flows use are loaded on first use.
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
}

/** The compiler follows the imports of the entries and writes the types of each file that it meets. */
async function buildTypes(folder: string): Promise<void> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'package-types-'));
  try {
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: root,
        outDir: '.',
      },
      include: [],
      files: entries.map(({ source }) => join(root, source)),
    };
    await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(config));
    await promisify(execFile)(process.execPath, [compiler, '--project', scratch]);
    const types = await collectTypes(
      scratch,
      entries.map(({ source }) => source),
    );
    for (const [path, text] of types) await writeInto(join(folder, 'types', path), text);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

const compiler = join(root, 'node_modules/typescript/bin/tsc');

async function writeInto(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function listFiles({ inputs, outputs }: Metafile): PackageFiles {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const outside = imports.filter(({ external }) => external).map(({ path }) => path);
  return { inputs: Object.keys(inputs), imports: [...new Set(outside)].sort() };
}

/** Only drawings need it, and its licence (EPL-2.0) is not permissive. */
const optional = 'elkjs';

function describePackage({ imports }: PackageFiles) {
  const { name, version, license, type, sideEffects } = packageJson;
  const description = 'Checks, runs, resumes, tests and draws agent flows, and builds them in TypeScript.';
  const used = imports.filter((path) => !path.startsWith('node:')).map(packageName);
  const versions = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies });
  const select = (isWanted: (name: string) => boolean) =>
    Object.fromEntries(versions.filter(([each]) => used.includes(each) && isWanted(each)));
  return {
    ...{ name, version, description, license, type, sideEffects },
    engines: { node: '>=24' },
    exports: Object.fromEntries(entries.map((entry) => [entry.name, describeEntry(entry)])),
    dependencies: select((each) => each !== optional),
    peerDependencies: select((each) => each === optional),
    peerDependenciesMeta: { [optional]: { optional: true } },
  };
}

const describeEntry = (entry: Entry) => ({
  types: `./types/${entry.source.replace(/\.ts$/, '.d.ts')}`,
  default: `./${moduleName(entry)}.js`,
});

/** `@a/b/c` is a module of the package `@a/b`. */
const packageName = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
