// Makes bundles read only the exports of Node's modules that they use. Importing a module of Node as an ES
// module reads all of its exports, and reading some of them loads more: `WebSocket` of node:http loads
// undici, those of fs, process and util a line editor, reports and more. And classes that packages rarely ask for are read
// when they do. The measurements are in docs/decisions/0031-bundle-rewrites.md and 0095-cold-start-at-its-goal.md.
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { isAbsolute, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './bundle-folder.ts';

const reader = 'read-node-module';
const builtin = new RegExp(`^(node:.*|${builtinModules.join('|')})$`);

/**
 * Each importing file has a copy: if what is loaded on demand shared that of the cold start, the cold start would read
 * the exports of both.
 */
export const leanNode: Plugin = {
  name: 'lean-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: builtin }, ({ path, kind, importer }) =>
      kind === 'import-statement'
        ? { path, suffix: `?${toProjectPath(importer)}`, namespace: 'node', sideEffects: false }
        : undefined,
    );
    onResolve({ filter: new RegExp(`^${reader}$`) }, ({ path }) => ({
      path,
      namespace: 'node',
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: path === reader ? readModule : writeModule(path),
    }));
    for (const { file, name, path } of rarelyNeeded)
      onLoad({ filter: file }, async (found) => ({
        contents: (await readFile(found.path, 'utf8')).replace(
          `instanceof ${name}`,
          `instanceof process.getBuiltinModule('${path}').${name}`,
        ),
      }));
  },
};

/**
 * Classes that packages ask for after all others, which no function reaches: that of web streams, which loads for 3 ms,
 * and that of streams of files, which loads `node:fs/promises` and with it a line editor.
 */
const rarelyNeeded = [
  {
    file: /[/\\]@middy[/\\]core[/\\]executionModeStreamifyResponse\.js$/,
    name: 'ReadableStream',
    path: 'node:stream/web',
  },
  {
    file: /[/\\]@smithy[/\\]core[/\\].*[/\\]calculateBodyLength\.js$/,
    name: 'ReadStream',
    path: 'node:fs',
  },
];

/** Paths of namespaces are relative already. */
const toProjectPath = (path: string): string => (isAbsolute(path) ? relative(root, path) : path);

/** Whether an input of a build is such a copy, which no file has. */
export const isNodeModule = (input: string): boolean => input.startsWith('node:');

const readModule = 'export const read = (path, name) => process.getBuiltinModule(path)[name];';

/** Each export is a statement of its own, so that esbuild removes those that nothing imports. */
const writeModule = (path: string): string => `
import { read } from '${reader}';
export default /* @__PURE__ */ process.getBuiltinModule('${path}');
${Object.keys(process.getBuiltinModule(path) ?? {})
  .map((name, n) => `const _${n} = /* @__PURE__ */ read('${path}', '${name}');\nexport { _${n} as ${name} };`)
  .join('\n')}`;
