// Keeps cold starts to what they use of Node's own modules. Importing one as an ES module makes Node read all of its exports, and some are
// loaded by being read: `WebSocket` of node:http brings undici (15 ms), those of fs, process and util a line editor, reports and more (5 ms).
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** For the very files that are deployed: what one of them uses must not be read in another. */
export const leanNode: Plugin = {
  name: 'lean-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
      if (!isBuiltin(path) || kind === 'require-call') return undefined;
      return { path, namespace: kind === 'dynamic-import' ? 'whole-node' : 'node', sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: sourceOf(path, Object.keys(moduleOf(path))),
    }));
    // `import()` gives all exports, so it has to do without those that would load more.
    onLoad({ filter: /.*/, namespace: 'whole-node' }, ({ path }) => ({
      contents: sourceOf(path, plainNames(moduleOf(path))),
    }));
  },
};

const moduleOf = (path: string): object => process.getBuiltinModule(path) ?? {};

const plainNames = (module: object): readonly string[] =>
  Object.keys(module).filter((name) => !Object.getOwnPropertyDescriptor(module, name)?.get);

/** Each export stands for itself, so that esbuild leaves out those that nobody imports. */
const sourceOf = (path: string, names: readonly string[]): string => `
const module = /* @__PURE__ */ process.getBuiltinModule('${path}');
const read = (name) => module[name];
export default module;
${names.map((name, n) => `const _${n} = /* @__PURE__ */ read('${name}');\nexport { _${n} as ${name} };`).join('\n')}`;
