// Leaves out of the AWS clients what no function uses: the providers of credentials other than the environment
// (36 KB of each cold start, and 85 KB beside it), the discovery of endpoints, which DynamoDB's client has for
// itself, the classes of errors (30 KB), the client for HTTP (7 KB), configuration files, and all of a client's
// package.json but its version.
// Packages are replaced by their names and exports; three files have to be named by their paths.
// docs/decisions/0092-cold-code-of-the-trigger.md and 0095-cold-start-at-its-goal.md have the measurements.
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
  // All clients of the project send by `lib/aws-http.ts`, whose answers are no streams.
  '@smithy/node-http-handler': `
const missing = () => { throw new Error('An AWS client needs the requestHandler of lib/aws-http.ts.'); };
export const NodeHttpHandler = { create: (handler) => (handler?.handle ? handler : missing()) };
export const streamCollector = missing;`,
};
const namespace = 'small-aws';

const errorSchemas = /[/\\]@aws-sdk[/\\]client-(dynamodb|kms)[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/;
/** The declaration of an error, and the statement that registers it. */
const declaration = /^export var (\w+)\$ = (\[-3, n0, .*?\]);\nn0_registry\.registerError\(\1\$, \1\);$/gms;
/**
 * The errors that say more than their name and message, and the one that is retried because its class says so. A client
 * makes an error of the others as it does of those that are newer than itself: with their name and their message, as an
 * instance of the class of all errors of its service. The project compares names.
 */
const registeredErrors: ReadonlySet<string> = new Set([
  'ConditionalCheckFailedException',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionCanceledException',
]);

/** Lambda has no home folder. Reading from one would load `node:fs/promises`, and with it a line editor. */
const configurationFiles = /[/\\]@smithy[/\\]core[/\\].*[/\\]shared-ini-file-loader[/\\]readFile\.js$/;
const noFiles = `
export const filePromises = {}, fileIntercept = {};
export const readFile = async () => { throw new Error('Functions have no configuration files.'); };`;

export const smallAws: Plugin = {
  name: namespace,
  setup({ onResolve, onLoad }) {
    onLoad({ filter: packageFile }, async ({ path }) => ({
      contents: JSON.stringify(versioned.parse(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }));
    onLoad({ filter: errorSchemas }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        declaration,
        (text, name: string, schema: string) =>
          registeredErrors.has(name) ? text : `export var ${name}$ = /* @__PURE__ */ (() => ${schema})();`,
      ),
    }));
    onLoad({ filter: configurationFiles }, () => ({ contents: noFiles }));
    onResolve({ filter: new RegExp(`^(${Object.keys(replaced).join('|')})$`) }, (found) => ({
      path: found.path,
      namespace,
      pluginData: found.resolveDir,
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      contents: replaced[path] ?? '',
      resolveDir: pluginData,
    }));
  },
};
