// The bundles of all functions: one esbuild build of all entries, which share chunks, and then the chunks of each joined in its own folder.
// A build per function would parse the AWS SDK with each, which takes three times as long; forty small chunks would cost a cold start 10 ms.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
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
  await rm(dist, { recursive: true, force: true });
  const { metafile } = await build(shared);
  const bundles = await Promise.all(entries.toSorted().map((entry) => bundleOf(entry, metafile.outputs)));
  await rm(chunks, { recursive: true });
  return bundles;
}

function requireSources(): void {
  const missing = entries.map(sourceOf).filter((file) => !existsSync(join(root, file)));
  if (missing.length === 0) return;
  throw new Error(
    `The route table and lib/api/event-sources.ts name functions that have no file: ${missing.join(', ')}`,
  );
}

const sourceOf = (entry: string) => `functions/${entry}.ts`;
/** All chunks lie side by side. */
const chunkOf = (entry: string) => entry.replaceAll('/', '.');
const chunks = join(dist, '.chunks');

/** The model client brings CommonJS that requires Node's own modules, which ES modules cannot without this. */
const requireForCommonJs =
  "import { createRequire } from 'node:module'; const require = /* @__PURE__ */ createRequire(import.meta.url);";

const everywhere = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // What is imported with `import()` becomes a chunk of its own, so that a cold start does not pay for it.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** All functions at once. */
const shared = {
  ...everywhere,
  entryPoints: entries.map((entry) => ({ in: sourceOf(entry), out: chunkOf(entry) })),
  outdir: chunks,
  // The ES modules of the AWS SDK instead of its CommonJS, because they are smaller.
  mainFields: ['module', 'main'],
  banner: { js: requireForCommonJs },
  plugins: [smallZod, smallMcp, httpWithoutUndici],
} as const satisfies BuildOptions;

/** Joins the chunks of one function: a file for its cold start, besides those that are loaded later. */
async function bundleOf(entry: string, parts: Outputs): Promise<Bundle> {
  const { metafile } = await build({
    ...everywhere,
    entryPoints: [{ in: join(chunks, `${chunkOf(entry)}.mjs`), out: 'index' }],
    outdir: join(dist, entry),
  });
  const { outputs } = metafile;
  const start = `dist/${entry}/index.mjs`;
  const eager = reach(outputs, start, ['import-statement']);
  const all = reach(outputs, start, ['import-statement', 'dynamic-import']);
  const joined = [...all].flatMap((output) => Object.keys(outputs[output]?.inputs ?? {}));
  return {
    entry,
    runsFlows: flowRunners.has(entry),
    eager: bytes(outputs, eager),
    lazy: bytes(outputs, all) - bytes(outputs, eager),
    inputs: joined.flatMap((part) => Object.keys(parts[part]?.inputs ?? {})),
  };
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
