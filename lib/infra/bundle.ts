// The bundles of all functions: one esbuild call that shares chunks between them, then a folder for each with the chunks it can reach.
// A build per function would parse the AWS SDK nineteen times over, which takes ten times as long.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';
import { eventSources } from '#lib/api/event-sources.ts';
import { routeList } from '#lib/api/routes.ts';
import { dist, root } from './bundle-folder.ts';
import { httpWithoutUndici } from './bundle-http.ts';
import { smallMcp } from './bundle-mcp.ts';
import { smallZod } from './bundle-zod.ts';

export interface Bundle {
  readonly entry: string;
  /** Whether it runs flows, and so has the engine and, when a flow wants it, the model client. */
  readonly runsFlows: boolean;
  /** Bytes that every cold start loads. */
  readonly eager: number;
  /** Bytes that are loaded by `import()`, if ever. */
  readonly lazy: number;
  /** Source files in either part, relative to the project. */
  readonly inputs: readonly string[];
}

type Outputs = Metafile['outputs'];

const sources = [...routeList.map(([, route]) => route), ...Object.values(eventSources)];
const flowRunners: ReadonlySet<string> = new Set(
  sources.filter(({ uses }) => uses.some((use) => use === 'models.call')).map(({ entry }) => entry),
);

/** Every function of the stack, as the tables name them. */
export const entries: readonly string[] = sources.map(({ entry }) => entry);

export async function bundleAll(): Promise<Bundle[]> {
  requireSources();
  const { metafile, outputFiles } = await build(options);
  const files = new Map(outputFiles.map((file) => [file.path, file]));
  await rm(dist, { recursive: true, force: true });
  return await Promise.all(entries.toSorted().map((entry) => writeBundle(entry, metafile.outputs, files)));
}

function requireSources(): void {
  const missing = entries.map(sourceOf).filter((file) => !existsSync(join(root, file)));
  if (missing.length === 0) return;
  throw new Error(
    `The route table and lib/api/event-sources.ts name functions that have no file: ${missing.join(', ')}`,
  );
}

const sourceOf = (entry: string) => `functions/${entry}.ts`;
/** All outputs lie side by side, so that they find each other in the folder of a function as well. */
const outputOf = (entry: string) => entry.replaceAll('/', '.');

/** The model client brings CommonJS that requires Node's own modules, which ES modules cannot without this. */
const requireForCommonJs =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const options = {
  absWorkingDir: root,
  entryPoints: entries.map((entry) => ({ in: sourceOf(entry), out: outputOf(entry) })),
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  write: false,
  bundle: true,
  // What is imported with `import()` becomes a chunk of its own, so that a cold start does not pay for it.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // The ES modules of the AWS SDK instead of its CommonJS, because they are smaller.
  mainFields: ['module', 'main'],
  banner: { js: requireForCommonJs },
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'silent',
  plugins: [smallZod, smallMcp, httpWithoutUndici],
} as const satisfies BuildOptions;

async function writeBundle(
  entry: string,
  outputs: Outputs,
  files: ReadonlyMap<string, OutputFile>,
): Promise<Bundle> {
  const start = `dist/${outputOf(entry)}.mjs`;
  const eager = reach(outputs, start, ['import-statement']);
  const all = reach(outputs, start, ['import-statement', 'dynamic-import']);
  const folder = join(dist, entry);
  await mkdir(folder, { recursive: true });
  for (const output of all) {
    await copy(files, output, join(folder, output === start ? 'index.mjs' : basename(output)));
    await copy(files, `${output}.map`, join(folder, `${basename(output)}.map`));
  }
  return {
    entry,
    runsFlows: flowRunners.has(entry),
    eager: bytes(outputs, eager),
    lazy: bytes(outputs, all) - bytes(outputs, eager),
    inputs: [...all].flatMap((output) => Object.keys(outputs[output]?.inputs ?? {})),
  };
}

async function copy(files: ReadonlyMap<string, OutputFile>, output: string, target: string): Promise<void> {
  const file = files.get(join(root, output));
  if (file) await writeFile(target, withoutIdleBanner(file));
}

/** Making a `require` takes a while, and most chunks have no use for theirs. The line stays, empty, for the source map. */
function withoutIdleBanner({ text, contents }: OutputFile): string | Uint8Array {
  const isIdle = text.startsWith(requireForCommonJs) && !text.includes('typeof require');
  return isIdle ? text.slice(requireForCommonJs.length) : contents;
}

/** The outputs that loading `start` loads too, through imports of these kinds. */
function reach(outputs: Outputs, start: string, kinds: readonly string[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const file of reached) {
    const imports = outputs[file]?.imports ?? [];
    for (const { path, kind, external } of imports) if (!external && kinds.includes(kind)) reached.add(path);
  }
  return reached;
}

function bytes(outputs: Outputs, files: ReadonlySet<string>): number {
  return [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
}
