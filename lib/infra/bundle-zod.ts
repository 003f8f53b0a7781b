// Three measures for zod in the bundles: cold starts do not load the parts that only the model and MCP clients
// use; zod does not compile parsers, which pays off only after some 500 uses of a schema; and the schemas of the functions
// have no methods that write them as JSON Schema (18 KB). The measurements are in docs/decisions/0031-bundle-rewrites.md and
// 0095-cold-start-at-its-goal.md.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
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

/** Also of the copy for lazy clients, whose paths are relative to the project. */
const loadSettings = async ({ path }: { readonly path: string }) => ({
  contents: (await readFile(resolve(root, path), 'utf8')) + withoutCompiledParsers,
});

const classicSchemas = /[/\\]zod[/\\]v4[/\\]classic[/\\]schemas\.js$/;
const methodImport =
  'import { createStandardJSONSchemaMethod, createToJSONSchemaMethod } from "../core/to-json-schema.js";';
const noMethods = `
const noMethod = () => () => { throw new Error('Call z.toJSONSchema() instead of the method.'); };
const createStandardJSONSchemaMethod = noMethod, createToJSONSchemaMethod = noMethod;`;
const ownProcessor = /^ *inst\._zod\.processJSONSchema = .*$/gm;

/**
 * Each schema of zod names the function that writes it, and has methods that start it. `z.toJSONSchema()` does without
 * them, as it does for the schemas of `zod/mini`: it looks the functions up by type.
 */
const loadClassicSchemas = async ({ path }: { readonly path: string }) => ({
  contents: (await readFile(path, 'utf8')).replace(methodImport, noMethods).replaceAll(ownProcessor, ''),
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
    onLoad({ filter: classicSchemas, namespace: 'file' }, loadClassicSchemas);
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
