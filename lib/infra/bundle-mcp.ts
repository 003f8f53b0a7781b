// Keeps the MCP client to what a run uses of it. Its checks of output schemas bring Ajv along (150 KiB), and its OAuth flows all of jose, of
// which every cold start would then load what is not its own (45 KiB). We give it another validator, and connections bring the tokens.
import type { Plugin } from 'esbuild';

const client = /[/\\]node_modules[/\\]@modelcontextprotocol[/\\]/;
const unused = 'unused-by-mcp';

export const smallMcp: Plugin = {
  name: 'small-mcp',
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[/\\]client[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents: shims,
    }));
    onResolve({ filter: /^jose$/ }, ({ importer }) =>
      client.test(importer) ? { path: 'jose', namespace: unused } : undefined,
    );
    onLoad({ filter: /.*/, namespace: unused }, () => ({ contents: 'export {};' }));
  },
};

/** What the client asks of the platform it runs on. */
const shims = `export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {}`;
