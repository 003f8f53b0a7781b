// Builds the bundles of all functions: esbuild builds all entries at once, with shared chunks; then the files
// of each function are built from its chunks. A build per function would parse the AWS SDK each time, which
// takes three times as long.
import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { eventSources } from '#lib/routes/event-sources.ts';
import { routeList } from '#lib/routes/routes.ts';
import { smallAi } from './bundle-ai.ts';
import { dist, root } from './bundle-folder.ts';
import { buildFunction, type FunctionFiles, forLambda, withAnnotations } from './bundle-function.ts';
import { smallMcp } from './bundle-mcp.ts';
import { leanNode } from './bundle-node.ts';
import { smallOidc } from './bundle-oidc.ts';
import { smallZod } from './bundle-zod.ts';

export interface Bundle extends FunctionFiles {
  readonly entry: string;
  /** Whether it runs flows, and so contains the engine and the model client. */
  readonly runsFlows: boolean;
  /** The bytes of the code of a thread, if the function can start one. */
  readonly thread?: number;
}

const sources = [...routeList.map(([, route]) => route), ...Object.values(eventSources)];
const flowRunners: ReadonlySet<string> = new Set(
  sources.filter(({ uses }) => uses.some((use) => use === 'models.call')).map(({ entry }) => entry),
);

/** The entries of all functions of the stack. */
export const entries: readonly string[] = sources.map(({ entry }) => entry);

/** `report` learns how many of all functions are built. Before the first, the code of all is read. */
export async function bundleAll(report: (done: number, total: number) => void = () => {}): Promise<Bundle[]> {
  requireSources();
  report(0, entries.length);
  await rm(dist, { recursive: true, force: true });
  const [{ metafile }, ...built] = await Promise.all([
    build({ ...shared, ...withAnnotations }),
    ...threads.map(buildThread),
  ]);
  let done = 0;
  const bundles = await Promise.all(
    entries.toSorted().map(async (entry) => {
      const bundle = await buildBundle(entry, metafile.outputs, built);
      done += 1;
      report(done, entries.length);
      return bundle;
    }),
  );
  await rm(chunks, { recursive: true });
  return bundles;
}

function requireSources(): void {
  const missing = entries.map(sourceFile).filter((file) => !existsSync(join(root, file)));
  if (missing.length === 0) return;
  throw new Error(
    `The route table and lib/routes/event-sources.ts name functions that have no file: ${missing.join(', ')}`,
  );
}

const sourceFile = (entry: string) => `functions/${entry}.ts`;
/** All chunks are in one folder. */
const chunkName = (entry: string) => entry.replaceAll('/', '.');
const chunks = join(dist, '.chunks');

/** The model client contains CommonJS that requires only Node's own modules. ES modules have no `require`. */
const requireForCommonJs = 'const require = (id) => process.getBuiltinModule(id);';

/** The options of the build of all functions. */
const shared = {
  ...forLambda,
  entryPoints: entries.map((entry) => ({ in: sourceFile(entry), out: chunkName(entry) })),
  outdir: chunks,
  // Code that is imported with `import()` becomes a chunk of its own, which a cold start does not load.
  splitting: true,
  // The ES modules of the AWS SDK instead of its CommonJS, because they are smaller.
  mainFields: ['module', 'main'],
  banner: { js: requireForCommonJs },
  plugins: [smallZod, smallMcp, smallOidc, smallAi],
} as const satisfies BuildOptions;

interface Thread {
  /** The module that starts it, from the file beside its own. */
  readonly starter: string;
  readonly entry: string;
  readonly file: string;
  /** Other files that it needs, by their names in the bundle. */
  readonly others: Readonly<Record<string, string>>;
}

const threads: readonly Thread[] = [
  {
    starter: 'lib/run/compute/thread.ts',
    entry: 'lib/run/compute/thread-entry.ts',
    file: 'compute-thread.mjs',
    others: {},
  },
  {
    starter: 'lib/code/thread.ts',
    entry: 'lib/code/thread-entry.ts',
    file: 'code-thread.mjs',
    others: { 'interpreter.wasm': '@jitl/quickjs-wasmfile-release-sync/wasm' },
  },
];

interface ThreadFile extends Thread {
  readonly path: string;
  readonly bytes: number;
  readonly inputs: readonly string[];
}

/**
 * No module imports the entry of the thread, so it is a bundle of its own, in one file since all of it is
 * used.
 */
async function buildThread(thread: Thread): Promise<ThreadFile> {
  const path = join(chunks, thread.file);
  const { metafile } = await build({
    ...shared,
    entryPoints: [{ in: thread.entry, out: basename(thread.file, '.mjs') }],
    splitting: false,
    plugins: [smallZod, leanNode],
  });
  const [file] = Object.entries(metafile.outputs).filter(([name]) => name.endsWith(thread.file));
  const { bytes, inputs } = file?.[1] ?? { bytes: 0, inputs: {} };
  return { ...thread, path, bytes, inputs: Object.keys(inputs) };
}

async function buildBundle(
  entry: string,
  parts: Metafile['outputs'],
  built: readonly ThreadFile[],
): Promise<Bundle> {
  const chunk = join(chunks, chunkName(entry));
  const files = await buildFunction({ from: `${chunk}.mjs`, to: join(dist, entry), scratch: chunk });
  const inputs = files.inputs.flatMap((part) => Object.keys(parts[part]?.inputs ?? {}));
  const bundle = { ...files, entry, runsFlows: flowRunners.has(entry), inputs };
  const thread = built.find(({ starter }) => inputs.includes(starter));
  if (!thread) return bundle;
  await copyThread(thread, join(dist, entry));
  return { ...bundle, thread: thread.bytes, inputs: [...inputs, ...thread.inputs] };
}

async function copyThread({ file, path, others }: ThreadFile, folder: string): Promise<void> {
  const { resolve } = createRequire(import.meta.url);
  await Promise.all([
    copyFile(path, join(folder, file)),
    copyFile(`${path}.map`, join(folder, `${file}.map`)),
    ...Object.entries(others).map(([name, from]) => copyFile(resolve(from), join(folder, name))),
  ]);
}
