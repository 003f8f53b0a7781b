// Makes bundles read only the exports of Node's modules that they use. Importing a module of Node as an ES
// module reads all of its exports, and reading some of them loads more: `WebSocket` of node:http loads
// undici, those of fs, process and util a line editor, reports and more. The measurements are in
// docs/decisions/0031-bundle-rewrites.md.
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * For the files that are deployed, one by one, since an export that one of them uses must not be read in
 * another.
 */
export const leanNode: Plugin = {
  name: 'lean-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) =>
      isBuiltin(path) && kind === 'import-statement'
        ? { path, namespace: 'node', sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: writeModule(path, Object.keys(process.getBuiltinModule(path) ?? {})),
    }));
  },
};

/** Each export is a statement of its own, so that esbuild removes those that nothing imports. */
const writeModule = (path: string, names: readonly string[]): string => `
const module = /* @__PURE__ */ process.getBuiltinModule('${path}');
const read = (name) => module[name];
export default module;
${names.map((name, n) => `const _${n} = /* @__PURE__ */ read('${name}');\nexport { _${n} as ${name} };`).join('\n')}`;
