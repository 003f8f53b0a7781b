// The files of one function, as they are deployed: one that a cold start loads, and those that are loaded by `import()`, if ever.
import { join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { root } from './bundle-folder.ts';
import { entryPointsOf, joinCold, type Split } from './bundle-join.ts';
import { leanNode } from './bundle-node.ts';

export interface FunctionFiles {
  /** Bytes that every cold start loads. */
  readonly eager: number;
  /** Bytes that are loaded by `import()`, if ever. */
  readonly lazy: number;
  /** What they were made of, relative to the project. */
  readonly inputs: readonly string[];
}

export const forLambda = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions;

interface Place {
  /** What Lambda is to import. */
  readonly from: string;
  readonly to: string;
  /** A folder for what lies in between. */
  readonly scratch: string;
}

export async function buildFunction({ from, to, scratch }: Place): Promise<FunctionFiles> {
  const split = await splitFiles(from, scratch);
  const { metafile } = await build({
    ...forLambda,
    entryPoints: entryPointsOf(split),
    outdir: to,
    plugins: [joinCold(split), leanNode],
  });
  const { [relative(root, join(to, 'index.mjs'))]: cold, ...later } = metafile.outputs;
  const files = [...split.cold, ...split.later];
  return {
    eager: cold?.bytes ?? 0,
    lazy: bytesOf(later),
    inputs: files.flatMap((file) => Object.keys(split.outputs[file]?.inputs ?? {})),
  };
}

async function splitFiles(from: string, folder: string): Promise<Split> {
  const { metafile } = await build({
    ...forLambda,
    entryPoints: [{ in: from, out: 'index' }],
    outdir: folder,
    splitting: true,
  });
  const { outputs } = metafile;
  const start = relative(root, join(folder, 'index.mjs'));
  const cold = reach(outputs, start, ['import-statement']);
  const all = reach(outputs, start, ['import-statement', 'dynamic-import']);
  return { folder, outputs, cold: [...cold], later: [...all].filter((file) => !cold.has(file)) };
}

type Outputs = Metafile['outputs'];

/** The outputs that loading `start` loads too, through imports of these kinds. */
function reach(outputs: Outputs, start: string, kinds: readonly string[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const file of reached) {
    const imports = outputs[file]?.imports ?? [];
    for (const { path, kind, external } of imports) if (!external && kinds.includes(kind)) reached.add(path);
  }
  return reached;
}

const bytesOf = (outputs: Outputs): number =>
  Object.entries(outputs)
    .filter(([file]) => file.endsWith('.mjs'))
    .reduce((sum, [, { bytes }]) => sum + bytes, 0);
