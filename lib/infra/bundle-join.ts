// The last step of a bundle: joins all that a cold start loads into one file. Node needs a third of a
// millisecond to find, open and link a file, and esbuild writes one for each set of `import()`s that share
// code: thirty for a function that runs flows.
import { readFileSync } from 'node:fs';
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

/**
 * The files that are loaded later import from `index.mjs` what they share with the cold start: exactly the names that
 * each uses, because esbuild removes no name from an import of an external file, and keeps what is exported.
 */
export function joinCold(split: Split): Plugin {
  const isCold = (path: string) => split.cold.some((file) => basename(file) === basename(path));
  const shared = listShared(split);
  return {
    name: 'join-cold',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${start}$`) }, ({ path }) => ({ path, namespace: 'start' }));
      onLoad({ filter: /.*/, namespace: 'start' }, () => ({
        contents: writeStart(split, shared),
        resolveDir: split.folder,
      }));
      onResolve({ filter: /^\.\// }, ({ path, importer, namespace }) => {
        if (namespace === 'shared' || !isCold(path)) return { path, external: true };
        if (namespace === 'start' || isCold(importer)) return undefined;
        return { path: toKey(importer, path), namespace: 'shared' };
      });
      onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
        contents: writeShared(shared.get(path) ?? []),
      }));
    },
  };
}

/** A name that a file exports, and an alias that is unique among all files. */
interface SharedName {
  readonly file: string;
  readonly name: string;
  readonly alias: string;
}

/** One later file, and a file of the cold start that it imports. */
const toKey = (importer: string, imported: string): string => `${basename(importer)} ${basename(imported)}`;

/** The names that later files import from files of the cold start. */
function listShared({ folder, outputs, cold, later }: Split): ReadonlyMap<string, readonly SharedName[]> {
  const pairs = later.flatMap((importer) => {
    const text = readFileSync(join(folder, basename(importer)), 'utf8');
    const imported = (outputs[importer]?.imports ?? []).filter(({ path }) => cold.includes(path));
    return imported.map(({ path, kind }) => {
      const all = outputs[path]?.exports ?? [];
      const names = kind === 'dynamic-import' ? all : all.filter(findImports(text, basename(path)));
      const number = cold.indexOf(path);
      const shared = names.map((name) => ({ file: basename(path), name, alias: `_${number}_${name}` }));
      return [toKey(importer, path), shared] as const;
    });
  });
  const byKey = Map.groupBy(pairs, ([key]) => key);
  return new Map([...byKey].map(([key, some]) => [key, some.flatMap(([, names]) => names)]));
}

/** Whether a file, as esbuild writes it without minifying white space, imports a name from another one. */
function findImports(text: string, file: string): (name: string) => boolean {
  const statements = [...text.matchAll(/^import \{\n([^}]*)\n\} from "\.\/([^"]+)";$/gm)];
  const names = statements
    .filter(([, , from]) => from === file)
    .flatMap(([, list = '']) => list.split(',').map((each) => each.trim().split(' as ')[0]));
  return (name) => names.includes(name);
}

/** First the exports of the function itself. All files of the cold start are imported, in their order. */
function writeStart({ cold }: Split, shared: ReadonlyMap<string, readonly SharedName[]>): string {
  const byAlias = new Map([...shared.values()].flat().map((each) => [each.alias, each]));
  const byFile = Map.groupBy(byAlias.values(), ({ file }) => file);
  const files = cold.map((file) => basename(file));
  return [
    `export * from './${files[0]}';`,
    ...files.map((file) => {
      const pairs = (byFile.get(file) ?? []).map(({ name, alias }) => `${name} as ${alias}`);
      return `export { ${pairs.join(', ')} } from './${file}';`;
    }),
  ].join('\n');
}

function writeShared(names: readonly SharedName[]): string {
  const pairs = [...new Set(names.map(({ name, alias }) => `${alias} as ${name}`))];
  return pairs.length > 0 ? `export { ${pairs.join(', ')} } from './index.mjs';` : '';
}
