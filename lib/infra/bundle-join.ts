// The last step of a bundle: all that a cold start loads becomes one file. Each file costs Node a third of a millisecond to find, open and
// link, and esbuild makes one for every set of `import()`s that have something in common: thirty for a function that runs flows.
import { basename, join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';

/** The files of one function as esbuild has split them, side by side in one folder. */
export interface Split {
  readonly folder: string;
  readonly outputs: Metafile['outputs'];
  /** What a cold start loads, first the file of the function itself. */
  readonly cold: readonly string[];
  /** What is loaded by `import()`, if ever. */
  readonly later: readonly string[];
}

const start = 'cold-start';

export const entryPointsOf = ({ folder, later }: Split): { in: string; out: string }[] => [
  { in: start, out: 'index' },
  ...later.map((file) => ({ in: join(folder, basename(file)), out: basename(file, '.mjs') })),
];

/** What later files share with the cold start they import from `index.mjs`. */
export function joinCold(split: Split): Plugin {
  const names = sharedNames(split);
  const isCold = (path: string) => names.has(basename(path));
  return {
    name: 'join-cold',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${start}$`) }, ({ path }) => ({ path, namespace: 'start' }));
      onLoad({ filter: /.*/, namespace: 'start' }, () => ({
        contents: startOf(names),
        resolveDir: split.folder,
      }));
      onResolve({ filter: /^\.\// }, ({ path, importer, namespace }) => {
        if (namespace === 'shared' || !isCold(path)) return { path, external: true };
        return namespace === 'start' || isCold(importer) ? undefined : { path, namespace: 'shared' };
      });
      onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
        contents: sharedOf(names.get(basename(path)) ?? []),
      }));
    },
  };
}

/** A name that a file exports, and one that no other file has. */
type SharedName = readonly [name: string, alias: string];
/** By file of the cold start: what later files import from it. */
type SharedNames = ReadonlyMap<string, readonly SharedName[]>;

function sharedNames({ outputs, cold, later }: Split): SharedNames {
  const asked = new Set(later.flatMap((file) => outputs[file]?.imports ?? []).map(({ path }) => path));
  return new Map(
    cold.map((file, number) => {
      const names = asked.has(file) ? (outputs[file]?.exports ?? []) : [];
      return [basename(file), names.map((name): SharedName => [name, `_${number}_${name}`])];
    }),
  );
}

function startOf(names: SharedNames): string {
  const [own = ''] = names.keys();
  const shared = [...names].map(
    ([file, pairs]) =>
      `export { ${pairs.map(([name, alias]) => `${name} as ${alias}`).join(', ')} } from './${file}';`,
  );
  return [`export * from './${own}';`, ...shared].join('\n');
}

const sharedOf = (names: readonly SharedName[]): string =>
  `export { ${names.map(([name, alias]) => `${alias} as ${name}`).join(', ')} } from './index.mjs';`;
