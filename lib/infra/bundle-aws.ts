// Leaves out of the AWS clients what no function uses: the providers of credentials other than the environment
// (36 KB of each cold start, and 85 KB beside it), the discovery of endpoints, which DynamoDB's client has for
// itself, and all of a client's package.json but its version. The packages are replaced by their names and exports.
// docs/decisions/0092-cold-code-of-the-trigger.md has the measurements.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import * as z from 'zod';

const packageFile = /[/\\]@aws-sdk[/\\][a-z-]+[/\\]package\.json$/;
const versioned = z.object({ version: z.string() });

/** Lambda gives functions their credentials in the environment, and endpoint discovery is off unless it is set. */
const replaced: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': `
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  '@aws-sdk/middleware-endpoint-discovery': `
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {};
export const resolveEndpointDiscoveryConfig = (config) => config;`,
};
const namespace = 'small-aws';

export const smallAws: Plugin = {
  name: namespace,
  setup({ onResolve, onLoad }) {
    onLoad({ filter: packageFile }, async ({ path }) => ({
      contents: JSON.stringify(versioned.parse(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }));
    onResolve(
      { filter: /^@aws-sdk\/(credential-provider-node|middleware-endpoint-discovery)$/ },
      (found) => ({
        path: found.path,
        namespace,
        pluginData: found.resolveDir,
        sideEffects: false,
      }),
    );
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      contents: replaced[path] ?? '',
      resolveDir: pluginData,
    }));
  },
};
