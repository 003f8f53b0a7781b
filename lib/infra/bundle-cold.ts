// Joins all that a cold start loads into one file. Node needs a third of a millisecond to find, open and link a file,
// and esbuild writes one for each set of modules that the same entries reach, where each `import()` is an entry too:
// thirty for a function that runs flows. Here each of these entries reaches the function itself, so that all modules
// of the cold start are reached by the same entries.
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Chunks } from './bundle-chunks.ts';

const coldStart = 'cold-start';
const onDemand = 'on-demand';

/** `chunk` returns the name of the chunk of the function that is built. */
export const oneColdFile = ({ folder, outputs }: Chunks, chunk: () => string): Plugin => ({
  name: 'one-cold-file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${coldStart}$`) }, ({ path }) => ({
      path,
      namespace: coldStart,
      sideEffects: true,
    }));
    onLoad({ filter: /./, namespace: coldStart }, () => ({
      contents: `export * from './${chunk()}';`,
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
