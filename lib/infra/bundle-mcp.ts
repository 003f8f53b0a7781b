// Leaves Ajv (150 KiB) out of the MCP client and server. The client loads it to check output schemas;
// `lib/mcp/session.ts` supplies another validator. The server loads it to check the answers to elicitations that it
// sends itself, which the connector never does. The measurements are in
// docs/decisions/0031-bundle-rewrites.md.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './bundle-folder.ts';

/** The packages choose their platform-dependent parts through this export of their own. */
const platform = /^@modelcontextprotocol\/(client|server)\/_shims$/;

export const smallMcp: Plugin = {
  name: 'small-mcp',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: platform }, ({ path }) => ({ path, namespace: 'mcp-platform' }));
    onLoad({ filter: /.*/, namespace: 'mcp-platform' }, () => ({ contents: platformModule }));
    onResolve({ filter: core }, async ({ path, importer, kind, resolveDir }) => {
      if (!server.test(importer)) return undefined;
      const found = await resolve(path, { kind, resolveDir });
      return {
        path: relative(root, found.path),
        errors: found.errors,
        namespace: serverCore,
        sideEffects: false,
      };
    });
    onResolve({ filter: /.*/, namespace: serverCore }, async ({ path, importer, kind }) => {
      const { path: found, errors } = await resolve(path, {
        kind,
        resolveDir: join(root, dirname(importer)),
      });
      const isOfCore = path.startsWith('.');
      return isOfCore
        ? { path: relative(root, found), errors, sideEffects: false, namespace: serverCore }
        : { path: found, errors, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: serverCore }, async ({ path }) => ({
      contents: await readFile(join(root, path), 'utf8'),
    }));
  },
};

/**
 * Client and server share this package. The client uses it with the zod of the lazy clients (`bundle-zod.ts`), the
 * server with that of the functions, so the server gets a copy (20 KiB) that imports the other zod.
 */
const core = /^@modelcontextprotocol\/core(\/|$)/;
const server = /[/\\]@modelcontextprotocol[/\\]server[/\\]/;
const serverCore = 'mcp-server-core';

const platformModule = `export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {}`;
