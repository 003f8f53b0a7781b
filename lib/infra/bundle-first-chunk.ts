// Keeps what is loaded first in few files: the build of the console and that of its worker for flows.
import { join, relative } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { root } from './bundle-folder.ts';

/**
 * esbuild makes a chunk for each set of modules that the same entries reach, and what is imported on demand is an entry
 * too: what is loaded first would be split more finely with each page that is added. Here all that is imported
 * on demand by a file of the project, or by the name of a package, reaches the modules of the first entry, which are
 * therefore one chunk.
 */
export const oneFirstChunk = (entry: string): Plugin => ({
  name: 'one-first-chunk',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: asked }, async ({ path, kind, namespace, pluginData, ...others }) => {
      if (path === firstEntry && namespace === onDemand)
        return { path: join(root, entry), sideEffects: true };
      if (kind !== 'dynamic-import' || pluginData === onDemand) return undefined;
      const found = await resolve(path, { ...others, kind, pluginData: onDemand });
      return found.errors.length > 0 ? found : { path: relative(root, found.path), namespace: onDemand };
    });
    onLoad({ filter: /./, namespace: onDemand }, ({ path }) => ({
      contents: `import '${firstEntry}'; export * from ${JSON.stringify(`./${path}`)};`,
      resolveDir: root,
      loader: 'js',
    }));
  },
});
/**
 * The modules of the project and the names of packages. What packages import of their own files is most of all imports,
 * and each question to a plugin takes a tenth of a millisecond: an `import('./x.js')` among them may split the first
 * chunk.
 */
const asked = /^[^.]|\.tsx?$/;
const onDemand = 'on-demand';
const firstEntry = 'first-entry';

/** A file and what it imports at once. */
export function reachAtOnce(outputs: Metafile['outputs'], first: string): ReadonlySet<string> {
  const reached = new Set([first]);
  for (const file of reached)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement') reached.add(path);
  return reached;
}
