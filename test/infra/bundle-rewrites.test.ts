// The packages whose modules the bundler replaces still have those modules. Each test fails when an update of
// a package moves or renames what is replaced, since the rewrite would then silently stop working.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { smallAi } from '#lib/infra/bundle-ai.ts';
import { smallAws } from '#lib/infra/bundle-aws.ts';
import { fromSources } from '#lib/infra/bundle-chunks.ts';
import { root } from '#lib/infra/bundle-folder.ts';
import { smallMcp } from '#lib/infra/bundle-mcp.ts';
import { smallOidc } from '#lib/infra/bundle-oidc.ts';
import { smallZod } from '#lib/infra/bundle-zod.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rewrites-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function bundle(name: string, contents: string): Promise<{ file: string; inputs: string[] }> {
  const { metafile } = await build({
    ...fromSources,
    stdin: { contents, resolveDir: root },
    outdir: folder,
    entryNames: name,
    plugins: [smallZod, smallMcp, smallOidc, smallAi, smallAws],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  return { file: join(folder, `${name}.mjs`), inputs };
}

test('the MCP client has its own copy of zod, and no Ajv', async () => {
  const { inputs } = await bundle('mcp', "export { openSession } from '#lib/mcp/session.ts';");
  expect(inputs).toContainEqual(expect.stringMatching(/^mcp-platform:/));
  expect(inputs.filter((input) => /node_modules\/ajv/.test(input))).toEqual([]);
  expect(inputs).toContainEqual(expect.stringMatching(/^zod-of-lazy-clients:.*\/locales\/en\.js$/));
  expect(inputs.filter((input) => /\/locales\/(?!en\.|index\.)/.test(input))).toEqual([]);
});

test('the model client has its own copy of zod', async () => {
  const { inputs } = await bundle('model', "export { generateText } from 'ai';");
  expect(inputs).toContainEqual(expect.stringMatching(/^zod-of-lazy-clients:/));
});

test('no path depends on the folder of the project, because names have hashes of paths', async () => {
  const contents =
    "export * from '@modelcontextprotocol/server'; export * as client from '#lib/mcp/session.ts';";
  const { inputs } = await bundle('paths', contents);
  expect(inputs).toContainEqual(expect.stringMatching(/^mcp-server-core:node_modules\//));
  expect(inputs).toContainEqual(expect.stringMatching(/^zod-of-lazy-clients:node_modules\//));
  expect(inputs.filter((input) => input.includes(root) || /^([a-z-]+:)?\//.test(input))).toEqual([]);
});

test('the model client has no client of the AI Gateway, and reports errors of models as they are', async () => {
  const contents = `
    import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
    import { generateText } from 'ai';
    export const ask = (baseURL) =>
      generateText({ model: createOpenAICompatible({ name: 'x', baseURL })('m'), prompt: 'p', maxRetries: 0 });`;
  const { file, inputs } = await bundle('gateway', contents);
  expect(inputs).toContainEqual(expect.stringMatching(/@ai-sdk\/gateway\/dist\/index\.js$/));
  expect(inputs).not.toContainEqual(expect.stringMatching(/@vercel\/oidc/));
  const server = createServer((_request, response) => void response.writeHead(429).end('{}'));
  const url = await listen(server, 0);
  try {
    const { ask }: { ask: (url: string) => Promise<unknown> } = await import(pathToFileURL(file).href);
    await expect(ask(url)).rejects.toMatchObject({ name: 'AI_APICallError', statusCode: 429 });
  } finally {
    await closeServer(server);
  }
});

test('of its package.json an AWS client has the version, which it names to AWS', async () => {
  const { file } = await bundle('aws', "export { KMSClient } from '@aws-sdk/client-kms';");
  expect(await readFile(file, 'utf8')).not.toContain('devDependencies');
  const { KMSClient }: typeof import('@aws-sdk/client-kms') = await import(pathToFileURL(file).href);
  const { defaultUserAgentProvider } = new KMSClient({ region: 'us-east-1' }).config;
  const { version }: { version: string } = JSON.parse(
    await readFile(join(root, 'node_modules/@aws-sdk/client-kms/package.json'), 'utf8'),
  );
  expect(await defaultUserAgentProvider()).toContainEqual(['aws-sdk-js', version]);
});

test('AWS clients have the credentials of the environment, and look nowhere else', async () => {
  const contents = `
    import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
    export const read = (endpoint) => {
      const command = new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } });
      return new DynamoDBClient({ region: 'us-east-1', endpoint, maxAttempts: 1 }).send(command);
    };`;
  const { file, inputs } = await bundle('credentials', contents);
  expect(inputs).toContainEqual('small-aws:@aws-sdk/credential-provider-node');
  expect(inputs).toContainEqual('small-aws:@aws-sdk/middleware-endpoint-discovery');
  expect(inputs.filter((input) => /credential-provider-(?!env|node)|nested-clients/.test(input))).toEqual([]);
  const { read }: { read: (endpoint: string) => Promise<unknown> } = await import(pathToFileURL(file).href);
  const names = Promise.withResolvers<string | undefined>();
  const server = createServer((request, response) => {
    names.resolve(request.headers.authorization);
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"Item":{"id":{"S":"1"}}}');
  });
  const url = await listen(server, 0);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAENVIRONMENT');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  try {
    await expect(read(url)).resolves.toMatchObject({ Item: { id: { S: '1' } } });
    await expect(names.promise).resolves.toContain('Credential=AKIAENVIRONMENT/');
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    await expect(read(url)).rejects.toMatchObject({ name: 'CredentialsProviderError' });
  } finally {
    vi.unstubAllEnvs();
    await closeServer(server);
  }
});

test('zod compiles no parsers', async () => {
  const { file } = await bundle('zod', "import * as z from 'zod'; export const settings = z.config();");
  const loaded: { settings: unknown } = await import(pathToFileURL(file).href);
  expect(loaded.settings).toMatchObject({ jitless: true });
});

test('oidc-provider works without the table of media types, its pages and the endpoints that are off', async () => {
  const { file, inputs } = await bundle('oidc', "export { Provider } from 'oidc-provider';");
  const sizes = inputs.filter((input) => /mime-db\/db\.json$/.test(input));
  expect(sizes.length).toBeGreaterThan(0);
  expect(inputs).not.toContainEqual(expect.stringMatching(/oidc-provider\/lib\/views\/(layout|login)\.js$/));
  expect((await stat(file)).size).toBeLessThan(520 * 1024);
  const { Provider }: typeof import('oidc-provider') = await import(pathToFileURL(file).href);
  const provider = new Provider('http://127.0.0.1', {
    features: { devInteractions: { enabled: false }, userinfo: { enabled: false } },
  });
  const server = createServer(provider.callback());
  const url = await listen(server, 0);
  try {
    const answer = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
    // It stores what it makes under the names of its classes, which are minified.
    const { AccessToken, AuthorizationCode, Client, Grant, Interaction, RefreshToken, Session } = provider;
    const classes = { AccessToken, AuthorizationCode, Client, Grant, Interaction, RefreshToken, Session };
    expect(Object.values(classes).map(({ name }) => name)).toEqual(Object.keys(classes));
  } finally {
    await closeServer(server);
  }
});
