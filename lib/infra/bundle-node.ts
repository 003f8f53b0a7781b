// Makes bundles read only the exports of Node's modules that they use. Importing a module of Node as an ES
// module reads all of its exports, and reading some of them loads more: `WebSocket` of node:http loads
// undici, those of fs, process and util a line editor, reports and more. The measurements are in
// docs/decisions/0031-bundle-rewrites.md.
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * What is loaded on demand has a copy for each importing file: if it shared that of the cold start, the cold start would
 * read the exports of both.
 */
export const leanNode = (isCold: (importer: string) => boolean = () => true): Plugin => ({
  name: 'lean-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind, importer }) =>
      isBuiltin(path) && kind === 'import-statement'
        ? { path, suffix: toSuffix(importer), namespace: 'node', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: writeModule(path, Object.keys(process.getBuiltinModule(path) ?? {})),
    }));
    const toSuffix = (importer: string) => (isCold(importer) ? '' : `?${basename(importer)}`);
  },
});

/** Each export is a statement of its own, so that esbuild removes those that nothing imports. */
const writeModule = (path: string, names: readonly string[]): string => `
const module = /* @__PURE__ */ process.getBuiltinModule('${path}');
const read = (name) => module[name];
export default module;
${names.map((name, n) => `const _${n} = /* @__PURE__ */ read('${name}');\nexport { _${n} as ${name} };`).join('\n')}`;
