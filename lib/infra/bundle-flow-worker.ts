// Builds the worker that checks and tests flows in the browser: the code of the engine, with what it uses of Node.js
// replaced.
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { oneFirstChunk, reachAtOnce } from './bundle-first-chunk.ts';
import { root } from './bundle-folder.ts';
import { interpretedZod } from './bundle-zod.ts';

const entry = 'lib/console/editor/flow-worker.ts';
const nodeModules = join(root, 'lib/console/editor/node-modules.ts');
const nodeGlobals = join(root, 'lib/console/editor/node-globals.ts');
const replaced = ['node:crypto', 'node:timers/promises', 'node:util', 'node:vm'];

/** The package itself is what the file imports on demand. */
const latePatterns: Plugin = {
  name: 'late-patterns',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^re2js$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: join(root, 'lib/console/editor/late-patterns.ts') } : undefined,
    ),
};

export interface BuiltWorker {
  /** The name of its file. */
  readonly file: string;
  /** What a check of JSON loads, if the flow has no regular expression. */
  readonly chunks: readonly string[];
  readonly metafile: Metafile;
}

export async function buildFlowWorker(options: BuildOptions): Promise<BuiltWorker> {
  const { metafile } = await build({
    ...options,
    entryPoints: { 'flow-worker': entry },
    plugins: [latePatterns, oneFirstChunk(entry), interpretedZod],
    alias: Object.fromEntries(replaced.map((name) => [name, nodeModules])),
    inject: [nodeGlobals],
    metafile: true,
  });
  const { outputs } = metafile;
  const found = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entry);
  if (found === undefined) throw new Error('The build of the flow worker has no entry.');
  return {
    file: basename(found),
    chunks: [...reachAtOnce(outputs, found)].map((file) => basename(file)),
    metafile,
  };
}
