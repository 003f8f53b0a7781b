// Two measures for zod in the bundles: cold starts do not load the parts that only the model and MCP clients
// use, and zod does not compile parsers, which pays off only after some 500 uses of a schema. The
// measurements are in docs/decisions/0031-bundle-rewrites.md.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './bundle-folder.ts';

const namespace = 'zod-of-lazy-clients';
/** The packages of the model client and of the MCP client. They import all of zod (`{ z }`). */
const lazyClients =
  /[/\\]node_modules[/\\](?:@ai-sdk[/\\][^/\\]+|@modelcontextprotocol[/\\](?:client|core)|ai)[/\\]/;
const settings = /[/\\]zod[/\\]v4[/\\]core[/\\]core\.js$/;

/**
 * Appended to zod's settings: schemas read them when they are created, so they must be set before any other
 * module runs.
 */
const withoutCompiledParsers = '\nconfig({ jitless: true });';

const loadSettings = async ({ path }: { readonly path: string }) => ({
  contents: (await readFile(path, 'utf8')) + withoutCompiledParsers,
});

/** For the browser, whose content security policy refuses to compile code: zod would try, which is a violation. */
export const interpretedZod: Plugin = {
  name: 'interpreted-zod',
  setup: ({ onLoad }) => onLoad({ filter: settings }, loadSettings),
};

/**
 * The clients get a copy of zod of their own, which is loaded with them. If they shared the copy of the
 * functions, every cold start would load what the clients use. Its paths are relative to the project, because esbuild
 * puts them into the hashes of names as they are.
 */
export const smallZod: Plugin = {
  name: 'small-zod',
  setup({ onResolve, onLoad, resolve }) {
    onLoad({ filter: settings }, loadSettings);
    onResolve({ filter: /^zod(?:\/|$)/ }, async ({ path, importer, kind, resolveDir, namespace: from }) => {
      if (from !== 'file' || !lazyClients.test(importer)) return undefined;
      // Without an importer the pattern above does not match, so this does not resolve recursively.
      const found = await resolve(path, { kind, resolveDir });
      return { path: relative(root, found.path), errors: found.errors, namespace, sideEffects: false };
    });
    onResolve({ filter: /^\./, namespace }, ({ path, importer }) => ({
      path: join(dirname(importer), path),
      namespace,
      sideEffects: false,
    }));
    onLoad({ filter: /\.js$/, namespace }, async ({ path }) => ({
      contents: await readFile(join(root, path), 'utf8'),
    }));
  },
};
