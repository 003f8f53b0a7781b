// Builds the web console: hashed files that the console's function serves, and the document that loads them. The build
// of functions puts them beside the function; the local host has a folder for them.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { oneFirstChunk, reachAtOnce } from './bundle-first-chunk.ts';
import { buildFlowWorker } from './bundle-flow-worker.ts';
import { root } from './bundle-folder.ts';
import { interpretedZod } from './bundle-zod.ts';
import { writeLicences } from './console-licences.ts';

export const consoleEntry = 'console/get-file';

export interface ConsoleSizes {
  /** Bytes, compressed by gzip, that the first page loads. */
  readonly script: number;
  readonly style: number;
  /** Requests of the first page, the document included. */
  readonly requests: number;
  /** Bytes, compressed by gzip, of the worker that lays pictures out. It is loaded with the first picture. */
  readonly layoutWorker: number;
  /** Bytes, compressed by gzip, of the page that edits flows with the field for their text. */
  readonly editor: number;
  /** Bytes, compressed by gzip, of the worker that checks flows. */
  readonly flowWorker: number;
  /**
   * What each of the other pages loads, besides what the first page has loaded, and each part of the editor that is
   * loaded on its first use, besides what the editor has loaded.
   */
  readonly pages: readonly PageSize[];
}

export interface PageSize {
  /** The source file. */
  readonly page: string;
  /** Compressed by gzip. */
  readonly bytes: number;
}

export interface BuiltConsole extends ConsoleSizes {
  /** The source files, relative to the project. */
  readonly inputs: readonly string[];
}

interface ConsoleOptions {
  /** Writes the compressed files beside the others: for deployments, not for loopback. */
  readonly isCompressed: boolean;
}

const entry = 'lib/console/main.tsx';

/** The worker of the layout library is served as its package has it, and the console imports its address. */
const layoutWorker: Plugin = {
  name: 'layout-worker',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/elkjs\/lib\/elk-worker\.min\.js$/ }, async ({ path }) => ({
      contents: await readFile(path),
      loader: 'file',
    })),
};

const options = {
  absWorkingDir: root,
  entryPoints: { main: entry },
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
  minify: true,
  metafile: true,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  tsconfig: join(root, 'lib/console/tsconfig.json'),
  logLevel: 'silent',
  plugins: [oneFirstChunk(entry), layoutWorker, interpretedZod],
} as const satisfies BuildOptions;

/** Replaces the folder. */
export async function buildConsole(folder: string, { isCompressed }: ConsoleOptions): Promise<BuiltConsole> {
  const assets = join(folder, 'assets');
  await rm(folder, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  const worker = await buildFlowWorker({ ...options, outdir: assets });
  const define = { ...options.define, FLOW_WORKER: JSON.stringify(worker.file) };
  const { metafile } = await build({ ...options, define, outdir: assets });
  const first = findFirstLoad(metafile);
  await removeUnusedStyles(assets, first);
  const licences = await writeLicences(assets, [metafile, worker.metafile]);
  await writeFile(join(folder, 'index.html'), document(first, licences));
  const gzipped = await gzipAll(assets);
  if (isCompressed) await writeCompressed(assets, gzipped);
  const loaded = [first.entry, ...first.chunks];
  const editor = findOnDemand(metafile, editorModules, loaded);
  const later = (modules: readonly string[], before: readonly string[]) =>
    modules.map((module) => [module, findOnDemand(metafile, [module], before)] as const);
  const sizes = measure(gzipped, first, {
    layoutWorker: [findLayoutWorker(metafile)],
    editor,
    flowWorker: worker.chunks,
    pages: new Map([...later(listPages(metafile), loaded), ...later(editorParts, [...loaded, ...editor])]),
  });
  const inputs = [metafile, worker.metafile].flatMap((each) => Object.keys(each.inputs));
  return { ...sizes, inputs: [...new Set(inputs)] };
}

/** The style of the entry has that of all pages, and esbuild writes it once more for each page. */
async function removeUnusedStyles(assets: string, { styles }: FirstLoad): Promise<void> {
  const names = await readdir(assets);
  const unused = names.filter((name) => name.endsWith('.css') && !styles.includes(name));
  await Promise.all(unused.map((name) => rm(join(assets, name))));
}

interface FirstLoad {
  readonly entry: string;
  readonly chunks: readonly string[];
  readonly styles: readonly string[];
}

/** The entry, what it imports at once, and its style. */
function findFirstLoad({ outputs }: Metafile): FirstLoad {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (!found) throw new Error('The build of the console has no entry.');
  const [first, { cssBundle }] = found;
  const [, ...chunks] = [...reachAtOnce(outputs, first)].map((file) => basename(file));
  return { entry: basename(first), chunks, styles: cssBundle === undefined ? [] : [basename(cssBundle)] };
}

function findLayoutWorker({ outputs }: Metafile): string {
  const found = Object.keys(outputs).find((path) => basename(path).startsWith('elk-worker'));
  if (found === undefined) throw new Error('The build of the console has no worker for layouts.');
  return basename(found);
}

/** What the page of the editor loads as it opens: itself, and the field for the text. */
const editorModules = ['lib/console/editor/edit-page.tsx', 'lib/console/editor/text-view.ts'];

/** The forms of nodes come with the first node that is chosen, the aids when somebody comes to the text. */
const editorParts = ['lib/console/editor/node-editor.tsx', 'lib/console/editor/text-aids.ts'];

/** Without those of the editor, which have a budget of their own. */
const listPages = ({ outputs }: Metafile): readonly string[] =>
  Object.values(outputs).flatMap(({ entryPoint = '' }) => {
    const [page] = /lib\/console\/(?!editor\/).*-page\.tsx$/.exec(entryPoint) ?? [];
    return page === undefined ? [] : [page];
  });

/** What is loaded with modules that are imported on demand, besides what was loaded before. */
function findOnDemand(
  { outputs }: Metafile,
  modules: readonly string[],
  loaded: readonly string[],
): readonly string[] {
  const reached = modules.flatMap((module) => {
    const found = Object.keys(outputs).find((file) => outputs[file]?.entryPoint?.endsWith(module));
    if (found === undefined) throw new Error(`The build of the console does not load ${module} on demand.`);
    return [...reachAtOnce(outputs, found)].map((file) => basename(file));
  });
  return [...new Set(reached)].filter((file) => !loaded.includes(file));
}

/** `{{base}}` is replaced when it is served: the address of the console, which may have the path of a stage. */
const document = ({ entry, chunks, styles }: FirstLoad, licences: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="{{base}}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Agent Flow</title>
<link rel="icon" href="${icon}">
<link rel="license" href="assets/${licences}">
${styles.map((name) => `<link rel="stylesheet" href="assets/${name}">\n`).join('')}${chunks
  .map((name) => `<link rel="modulepreload" href="assets/${name}">\n`)
  .join('')}<script type="module" src="assets/${entry}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript. Everything in it is also in the API.</noscript>
</body>
</html>
`;

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1f5fd6"/><g fill="none" stroke="#fff" stroke-width="2.6"><path d="M10 10v6a4 4 0 0 0 4 4h6"/></g><g fill="#fff"><circle cx="10" cy="9" r="3.4"/><circle cx="22.5" cy="20" r="3.4"/></g></svg>',
)}`;

/** Each file compressed by gzip, by its name. */
async function gzipAll(assets: string): Promise<ReadonlyMap<string, Buffer>> {
  const names = await readdir(assets);
  const compressed = names.map(
    async (name) => [name, await promisify(gzip)(await readFile(join(assets, name)), { level: 9 })] as const,
  );
  return new Map(await Promise.all(compressed));
}

/** The highest quality, 11, saves 8 % of the bytes and takes 5 s of CPU time; this one takes 0.2 s. */
const brotliQuality = 8;

/** One file after the other: each compression at this quality needs some 20 MB. */
async function writeCompressed(assets: string, gzipped: ReadonlyMap<string, Buffer>): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  for (const [name, gz] of gzipped) {
    const br = await promisify(brotliCompress)(await readFile(join(assets, name)), { params });
    await writeFile(join(assets, `${name}.br`), br);
    await writeFile(join(assets, `${name}.gz`), gz);
  }
}

interface LoadedLater {
  readonly layoutWorker: readonly string[];
  readonly editor: readonly string[];
  readonly flowWorker: readonly string[];
  readonly pages: ReadonlyMap<string, readonly string[]>;
}

function measure(
  gzipped: ReadonlyMap<string, Buffer>,
  { entry, chunks, styles }: FirstLoad,
  { layoutWorker, editor, flowWorker, pages }: LoadedLater,
): ConsoleSizes {
  const sum = (names: readonly string[]) =>
    names.reduce((total, name) => total + (gzipped.get(name)?.length ?? 0), 0);
  return {
    script: sum([entry, ...chunks]),
    style: sum(styles),
    requests: 2 + chunks.length + styles.length,
    layoutWorker: sum(layoutWorker),
    editor: sum(editor),
    flowWorker: sum(flowWorker),
    pages: [...pages].map(([page, names]) => ({ page, bytes: sum(names) })),
  };
}
