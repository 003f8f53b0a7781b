// Leaves Ajv (150 KiB) out of the MCP client. The client loads it to check output schemas;
// `lib/mcp/session.ts` supplies another validator. The measurements are in
// docs/decisions/0031-bundle-rewrites.md.
import type { Plugin } from 'esbuild';

/** The package chooses its platform-dependent parts through this export of its own. */
const platform = '@modelcontextprotocol/client/_shims';

export const smallMcp: Plugin = {
  name: 'small-mcp',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${platform}$`) }, ({ path }) => ({ path, namespace: 'mcp-platform' }));
    onLoad({ filter: /.*/, namespace: 'mcp-platform' }, () => ({ contents: platformModule }));
  },
};

const platformModule = `export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {}`;
