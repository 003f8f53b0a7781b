// Keeps undici out of cold starts. Importing `node:http` as an ES module makes Node read every one of its exports, and reading
// `WebSocket` loads undici: some 15 ms that no function of ours has a use for.
import * as http from 'node:http';
import type { Plugin } from 'esbuild';

const namespace = 'http-without-undici';
const loadUndici = new Set(['WebSocket', 'CloseEvent', 'MessageEvent', 'default']);

export const httpWithoutUndici: Plugin = {
  name: namespace,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace }));
    onLoad({ filter: /.*/, namespace }, () => ({ contents: source }));
  },
};

const names = Object.keys(http).filter((name) => !loadUndici.has(name));
const source = `const http = process.getBuiltinModule('node:http');
export default http;
export const { ${names.join(', ')} } = http;`;
