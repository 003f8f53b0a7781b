// Joins what a cold start loads into few files. Node needs a third of a millisecond to find, open and link a file,
// and esbuild writes one for each set of modules that the same entries reach, where each `import()` is an entry too:
// thirty for a function that runs flows. Here each of these entries reaches the function itself, so that all modules
// of the cold start are reached by the same entries. One file is not the fastest either: V8 parses three of a third of
// the size in four fifths of the time (docs/decisions/0092-cold-code-of-the-trigger.md). So two further entries reach a
// third of the modules, and two thirds.
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import { type Chunks, listInOrder } from './bundle-chunks.ts';

const coldStart = 'cold-start';
/** Entries of the build alone: their files are no part of a bundle. The last third is what only the function reaches. */
export const coldParts: readonly string[] = ['cold-first-third', 'cold-two-thirds'];
export const isColdPart = (path: string): boolean => coldParts.includes(basename(path, '.mjs'));
const onDemand = 'on-demand';

/** `chunk` returns the name of the chunk of the function that is built. */
export const fewColdFiles = (chunks: Chunks, chunk: () => string): Plugin => ({
  name: 'few-cold-files',
  setup({ onResolve, onLoad }) {
    const { folder, outputs } = chunks;
    onResolve({ filter: /^cold-[a-z-]+$/ }, ({ path }) => ({
      path,
      namespace: coldStart,
      sideEffects: true,
    }));
    onLoad({ filter: /./, namespace: coldStart }, ({ path }) => ({
      contents: path === coldStart ? `export * from './${chunk()}';` : writePart(path, chunks, chunk()),
      resolveDir: folder,
    }));
    onResolve({ filter: matchOnDemand(outputs) }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: basename(path), namespace: onDemand } : undefined,
    );
    onLoad({ filter: /./, namespace: onDemand }, ({ path }) => ({
      contents: writeOnDemand(path, outputs.get(path)?.exports ?? []),
      resolveDir: folder,
    }));
  },
});

/** The first chunks, where each chunk comes after those that it imports, so that a part imports no later one. */
function writePart(part: string, chunks: Chunks, chunk: string): string {
  const names = listInOrder(chunks, chunk);
  const sizes = names.map((name) => chunks.outputs.get(name)?.bytes ?? 0);
  const ends = sizes.map((_size, n) => sizes.slice(0, n + 1).reduce((sum, size) => sum + size, 0));
  const bytesMax = ((ends.at(-1) ?? 0) * (coldParts.indexOf(part) + 1)) / (coldParts.length + 1);
  const first = names.filter((_name, n) => (ends[n] ?? 0) <= bytesMax);
  return first.map((name) => `import './${name}';`).join('\n');
}

/** The paths in each `import()`. esbuild asks the plugin only for what matches, which saves most of the questions. */
function matchOnDemand(outputs: Chunks['outputs']): RegExp {
  const imports = [...outputs.values()].flatMap((output) => output.imports);
  const names = imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [basename(path)] : []));
  return new RegExp(`^\\./(${[...new Set(names)].join('|').replaceAll('.', '\\.')})$`);
}

/** `export *` leaves out the default export. */
const writeOnDemand = (name: string, exports: readonly string[]): string =>
  [
    `import '${coldStart}';`,
    `export * from './${name}';`,
    ...(exports.includes('default') ? [`export { default } from './${name}';`] : []),
  ].join('\n');
