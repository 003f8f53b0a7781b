// The last step of a bundle: joins all that a cold start loads into one file. Node needs a third of a
// millisecond to find, open and link a file, and esbuild writes one for each set of `import()`s that share
// code: thirty for a function that runs flows.
import { basename, join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';

/** The files of one function as esbuild splits them, in one folder. */
export interface Split {
  readonly folder: string;
  readonly outputs: Metafile['outputs'];
  /** The files that a cold start loads, beginning with that of the function itself. */
  readonly cold: readonly string[];
  /** The files that `import()` loads on first use. */
  readonly later: readonly string[];
}

const start = 'cold-start';

export const listEntryPoints = ({ folder, later }: Split): { in: string; out: string }[] => [
  { in: start, out: 'index' },
  ...later.map((file) => ({ in: join(folder, basename(file)), out: basename(file, '.mjs') })),
];

/** The files that are loaded later import from `index.mjs` what they share with the cold start. */
export function joinCold(split: Split): Plugin {
  const names = sharedNames(split);
  const isCold = (path: string) => names.has(basename(path));
  return {
    name: 'join-cold',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${start}$`) }, ({ path }) => ({ path, namespace: 'start' }));
      onLoad({ filter: /.*/, namespace: 'start' }, () => ({
        contents: writeStart(names),
        resolveDir: split.folder,
      }));
      onResolve({ filter: /^\.\// }, ({ path, importer, namespace }) => {
        if (namespace === 'shared' || !isCold(path)) return { path, external: true };
        return namespace === 'start' || isCold(importer) ? undefined : { path, namespace: 'shared' };
      });
      onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
        contents: writeShared(names.get(basename(path)) ?? []),
      }));
    },
  };
}

/** A name that a file exports, and an alias that is unique among all files. */
type SharedName = readonly [name: string, alias: string];
/** For each file of the cold start, the names that later files import from it. */
type SharedNames = ReadonlyMap<string, readonly SharedName[]>;

function sharedNames({ outputs, cold, later }: Split): SharedNames {
  const imported = new Set(later.flatMap((file) => outputs[file]?.imports ?? []).map(({ path }) => path));
  return new Map(
    cold.map((file, number) => {
      const names = imported.has(file) ? (outputs[file]?.exports ?? []) : [];
      return [basename(file), names.map((name): SharedName => [name, `_${number}_${name}`])];
    }),
  );
}

function writeStart(names: SharedNames): string {
  const [own = ''] = names.keys();
  const shared = [...names].map(
    ([file, pairs]) =>
      `export { ${pairs.map(([name, alias]) => `${name} as ${alias}`).join(', ')} } from './${file}';`,
  );
  return [`export * from './${own}';`, ...shared].join('\n');
}

const writeShared = (names: readonly SharedName[]): string =>
  `export { ${names.map(([name, alias]) => `${alias} as ${name}`).join(', ')} } from './index.mjs';`;
