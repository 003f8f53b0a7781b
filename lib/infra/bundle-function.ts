// The deployed files of one function: one that a cold start loads, and those that `import()` loads on first
// use.
import { join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { root } from './bundle-folder.ts';
import { joinCold, listEntryPoints, type Split } from './bundle-join.ts';
import { leanNode } from './bundle-node.ts';

export interface FunctionFiles {
  /** The bytes that each cold start loads. */
  readonly eager: number;
  /** The bytes that `import()` loads on first use. */
  readonly lazy: number;
  /** The source files, relative to the project. */
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

/**
 * For builds whose output is bundled again: it keeps `@__PURE__`, by which the files of a function leave out
 * what only other functions use.
 */
export const withAnnotations = {
  minify: false,
  minifyIdentifiers: true,
  minifySyntax: true,
} as const satisfies BuildOptions;

interface BuildPaths {
  /** The file that Lambda imports. */
  readonly from: string;
  readonly to: string;
  /** A folder for intermediate files. */
  readonly scratch: string;
}

export async function buildFunction({ from, to, scratch }: BuildPaths): Promise<FunctionFiles> {
  const split = await splitFiles(from, scratch);
  const { metafile } = await build({
    ...forLambda,
    entryPoints: listEntryPoints(split),
    outdir: to,
    plugins: [joinCold(split), leanNode],
  });
  const { [relative(root, join(to, 'index.mjs'))]: cold, ...later } = metafile.outputs;
  const files = [...split.cold, ...split.later];
  return {
    eager: cold?.bytes ?? 0,
    lazy: sumBytes(later),
    inputs: files.flatMap((file) => Object.keys(split.outputs[file]?.inputs ?? {})),
  };
}

async function splitFiles(from: string, folder: string): Promise<Split> {
  const { metafile } = await build({
    ...forLambda,
    entryPoints: [{ in: from, out: 'index' }],
    outdir: folder,
    splitting: true,
    ...withAnnotations,
  });
  const { outputs } = metafile;
  const start = relative(root, join(folder, 'index.mjs'));
  const cold = reach(outputs, start, ['import-statement']);
  const all = reach(outputs, start, ['import-statement', 'dynamic-import']);
  return { folder, outputs, cold: [...cold], later: [...all].filter((file) => !cold.has(file)) };
}

type Outputs = Metafile['outputs'];

/** `start` and the outputs that it imports, directly or indirectly, by imports of these kinds. */
function reach(outputs: Outputs, start: string, kinds: readonly string[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const file of reached) {
    const imports = outputs[file]?.imports ?? [];
    for (const { path, kind, external } of imports) if (!external && kinds.includes(kind)) reached.add(path);
  }
  return reached;
}

const sumBytes = (outputs: Outputs): number =>
  Object.entries(outputs)
    .filter(([file]) => file.endsWith('.mjs'))
    .reduce((sum, [, { bytes }]) => sum + bytes, 0);
