// The second step of the build: from the chunks of all functions, the files of one. A cold start loads `index.mjs` and
// the few files that it imports; the others are loaded by `import()` on first use.
import { mkdtemp, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, context, type Metafile } from 'esbuild';
import { type Chunks, chunkName } from './bundle-chunks.ts';
import { coldParts, coldStart, copyChunks, isColdPart, toChunk, writeEntries } from './bundle-cold.ts';
import { isNodeModule } from './bundle-node.ts';
import { forLambda } from './bundle-options.ts';

export interface FunctionFiles {
  /** The bytes that each cold start loads. */
  readonly eager: number;
  /** The bytes that `import()` loads on first use. */
  readonly lazy: number;
  /** The source files, relative to the project. */
  readonly inputs: readonly string[];
}

export interface Bundler {
  /** Writes the files into a folder that does not exist yet. */
  readonly bundle: (entry: string, folder: string) => Promise<FunctionFiles>;
  readonly close: () => Promise<void>;
}

/** The folder of the files of a function, below the folder in which also the entries lie that are no part of it. */
export const madeFolder = 'made';

/**
 * One context of esbuild for many functions: it remembers the syntax trees of the chunks that they share. It builds one
 * after the other, so a bundler is used by one caller at a time.
 */
export async function openBundler(chunks: Chunks, more: BuildOptions = {}): Promise<Bundler> {
  const from = await mkdtemp(`${chunks.folder}-`);
  const outdir = await mkdtemp(`${chunks.folder}-`);
  await copyChunks(chunks, from);
  const { rebuild, dispose } = await context({
    ...forLambda,
    // Names have hashes of paths, which are relative to this folder.
    absWorkingDir: from,
    entryPoints: [
      { in: `./${coldStart}`, out: `${madeFolder}/index` },
      ...coldParts.map((part) => ({ in: `./${part}`, out: basename(part, '.mjs') })),
    ],
    chunkNames: `${madeFolder}/[name]-[hash]`,
    // esbuild writes the files itself, since passing them to this process would take as long as linking them.
    outdir,
    splitting: true,
    ...more,
    metafile: true,
  });
  return {
    bundle: async (entry, folder) => {
      await writeEntries(chunks, chunkName(entry), from);
      const { metafile } = await rebuild();
      await rename(join(outdir, madeFolder), folder);
      return describe(metafile.outputs, chunks);
    },
    close: dispose,
  };
}

function describe(outputs: Outputs, chunks: Chunks): FunctionFiles {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const cold = new Set(['index.mjs']);
  for (const name of cold)
    for (const { path, kind, external } of byName.get(name)?.imports ?? [])
      if (!external && kind === 'import-statement') cold.add(basename(path));
  const code = [...byName].filter(([name]) => name.endsWith('.mjs') && !isColdPart(name));
  const sum = (isCounted: (name: string) => boolean) =>
    code.reduce((total, [name, { bytes }]) => total + (isCounted(name) ? bytes : 0), 0);
  const parts = code.flatMap(([, { inputs }]) => Object.keys(inputs).map(toChunk));
  const inputs = parts.flatMap((part) => Object.keys(chunks.outputs.get(part)?.inputs ?? {}));
  return {
    eager: sum((name) => cold.has(name)),
    lazy: sum((name) => !cold.has(name)),
    inputs: [...new Set(inputs)].filter((input) => !isNodeModule(input)),
  };
}

type Outputs = Metafile['outputs'];
