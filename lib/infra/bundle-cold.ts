// Joins what a cold start loads into few files. Node needs a third of a millisecond to find, open and link a file,
// and esbuild writes one for each set of modules that the same entries reach, where each `import()` is an entry too:
// thirty for a function that runs flows. Here each of these entries reaches the function itself, so that all modules
// of the cold start are reached by the same entries. One file is not the fastest either: V8 parses three of a third of
// the size in four fifths of the time (docs/decisions/0092-cold-code-of-the-trigger.md). So two further entries reach a
// third of the modules, and two thirds.
import { link, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Chunks, listInOrder } from './bundle-chunks.ts';

export const coldStart = 'cold-start.mjs';
/** Entries of the build alone: their files are no part of a bundle. The last third is what only the function reaches. */
export const coldParts: readonly string[] = ['cold-first-third.mjs', 'cold-two-thirds.mjs'];
export const isColdPart = (path: string): boolean => coldParts.includes(basename(path));
const onDemand = 'on-demand-';
/** The name of the chunk that a file is a copy of. */
export const toChunk = (path: string): string => basename(path).replace(onDemand, '');

/**
 * Copies the chunks into a folder, where each file that is loaded by `import()` loads the cold start first. esbuild
 * reads these files itself: asking a plugin for each import would take a second of CPU time for all functions.
 */
export async function copyChunks({ folder, outputs }: Chunks, to: string): Promise<void> {
  const imports = [...outputs.values()].flatMap((output) => output.imports);
  const loadedLater = new Set(
    imports.flatMap(({ path, kind }) => (kind === 'dynamic-import' ? [basename(path)] : [])),
  );
  const names = await readdir(folder);
  await Promise.all(
    names.map(async (name) => {
      if (!loadedLater.has(name)) return await link(join(folder, name), join(to, name));
      await link(join(folder, name), join(to, onDemand + name));
      await writeFile(join(to, name), writeOnDemand(onDemand + name, outputs.get(name)?.exports ?? []));
    }),
  );
}

/** Writes the entries of the build of a function into the folder with its chunks. */
export async function writeEntries(chunks: Chunks, chunk: string, folder: string): Promise<void> {
  await writeFile(join(folder, coldStart), `export * from './${chunk}';`);
  for (const part of coldParts) await writeFile(join(folder, part), writePart(part, chunks, chunk));
}

/**
 * The imports for side effects, here and below, only say to which files esbuild assigns the modules: the package.json of
 * the project denies that there are side effects, so esbuild evaluates nothing because of them.
 *
 * The first chunks, where each chunk comes after those that it imports, so that a part imports no later one.
 */
function writePart(part: string, chunks: Chunks, chunk: string): string {
  const names = listInOrder(chunks, chunk);
  const sizes = names.map((name) => chunks.outputs.get(name)?.bytes ?? 0);
  const ends = sizes.map((_size, n) => sizes.slice(0, n + 1).reduce((sum, size) => sum + size, 0));
  const bytesMax = ((ends.at(-1) ?? 0) * (coldParts.indexOf(part) + 1)) / (coldParts.length + 1);
  const first = names.filter((_name, n) => (ends[n] ?? 0) <= bytesMax);
  return first.map((name) => `import './${name}';`).join('\n');
}

/** `export *` leaves out the default export. */
const writeOnDemand = (name: string, exports: readonly string[]): string =>
  [
    `import './${coldStart}';`,
    `export * from './${name}';`,
    ...(exports.includes('default') ? [`export { default } from './${name}';`] : []),
  ].join('\n');
