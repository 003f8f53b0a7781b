// The packages whose modules the bundler replaces still have those modules. Each test fails when an update of
// a package moves or renames what is replaced, since the rewrite would then silently stop working.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { awsHttp } from '#lib/aws-http.ts';
import { smallAi } from '#lib/infra/bundle-ai.ts';
import { smallAws } from '#lib/infra/bundle-aws.ts';
import { fromSources } from '#lib/infra/bundle-chunks.ts';
import { root } from '#lib/infra/bundle-folder.ts';
import { smallMcp } from '#lib/infra/bundle-mcp.ts';
import { leanNode } from '#lib/infra/bundle-node.ts';
import { smallOidc } from '#lib/infra/bundle-oidc.ts';
import { smallZod } from '#lib/infra/bundle-zod.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rewrites-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function bundle(
  name: string,
  contents: string,
  more: BuildOptions = {},
): Promise<{ file: string; inputs: string[] }> {
  const { metafile } = await build({
    ...fromSources,
    stdin: { contents, resolveDir: root },
    outdir: folder,
    entryNames: name,
    plugins: [leanNode, smallZod, smallMcp, smallOidc, smallAi, smallAws],
    ...more,
    metafile: true,
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
  const { defaultUserAgentProvider } = new KMSClient({ region: 'us-east-1', requestHandler: awsHttp(1_000) })
    .config;
  const { version }: { version: string } = JSON.parse(
    await readFile(join(root, 'node_modules/@aws-sdk/client-kms/package.json'), 'utf8'),
  );
  expect(await defaultUserAgentProvider()).toContainEqual(['aws-sdk-js', version]);
});

test('AWS clients have the credentials of the environment, and look nowhere else', async () => {
  const contents = `
    import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
    import { awsHttp } from '#lib/aws-http.ts';
    const client = { region: 'us-east-1', maxAttempts: 1, requestHandler: awsHttp(1_000) };
    export const read = (endpoint) => {
      const command = new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } });
      return new DynamoDBClient({ ...client, endpoint }).send(command);
    };
    export const withoutHandler = () => new DynamoDBClient({ region: 'us-east-1' });`;
  const { file, inputs } = await bundle('credentials', contents);
  expect(inputs).toContainEqual('small-aws:@aws-sdk/credential-provider-node');
  expect(inputs).toContainEqual('small-aws:@aws-sdk/middleware-endpoint-discovery');
  expect(inputs.filter((input) => /credential-provider-(?!env|node)|nested-clients/.test(input))).toEqual([]);
  const {
    read,
    withoutHandler,
  }: { read: (endpoint: string) => Promise<unknown>; withoutHandler: () => unknown } = await import(
    pathToFileURL(file).href
  );
  expect(withoutHandler).toThrow('An AWS client needs the requestHandler of lib/aws-http.ts.');
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

test('AWS clients have classes for the errors that say more than a message, and names for all', async () => {
  const contents = `
    import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
    import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
    import { awsHttp } from '#lib/aws-http.ts';
    const client = (endpoint) => ({ region: 'us-east-1', endpoint, maxAttempts: 1, requestHandler: awsHttp(1_000) });
    export const put = (endpoint) =>
      new DynamoDBClient(client(endpoint)).send(new PutItemCommand({ TableName: 't', Item: { id: { S: '1' } } }));
    export const decrypt = (endpoint) =>
      new KMSClient(client(endpoint)).send(new DecryptCommand({ CiphertextBlob: new Uint8Array(1) }));`;
  // With splitting, the modules that are imported at once are not wrapped, and what nothing uses is left out.
  const { file } = await bundle('errors', contents, { splitting: true, chunkNames: 'errors-[hash]' });
  const names = (await readdir(folder)).filter((name) => name.startsWith('errors'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const has = (error: string) => texts.some((text) => text.includes(`${error}"`));
  expect(has('ReplicatedWriteConflictException')).toBe(true);
  expect(
    ['ImportConflictException', 'ResourceInUseException', 'CloudHsmClusterInUseException'].filter(has),
  ).toEqual([]);
  const { put, decrypt }: Record<'put' | 'decrypt', (endpoint: string) => Promise<unknown>> = await import(
    pathToFileURL(file).href
  );
  let answer = {};
  const server = createServer(
    (_request, response) => void response.writeHead(400).end(JSON.stringify(answer)),
  );
  const url = await listen(server, 0);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAENVIRONMENT');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  try {
    answer = {
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: 'The conditional request failed',
      Item: { id: { S: '1' } },
    };
    await expect(put(url)).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: { id: { S: '1' } },
    });
    answer = {
      __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
      message: 'Requested resource not found',
    };
    await expect(put(url)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Requested resource not found',
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
    });
    answer = { __type: 'InvalidCiphertextException', message: 'not ours' };
    const refused = { name: 'InvalidCiphertextException', message: 'not ours', $fault: 'client' };
    await expect(decrypt(url)).rejects.toMatchObject(refused);
  } finally {
    vi.unstubAllEnvs();
    await closeServer(server);
  }
});

test('neither a client nor middy loads files, web streams or a line editor of Node', async () => {
  const contents = `
    import middy from '@middy/core';
    import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
    import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
    import { awsHttp } from '#lib/aws-http.ts';
    const requestHandler = awsHttp(1_000);
    const client = new DynamoDBClient({ endpoint: process.env.ENDPOINT, maxAttempts: 1, requestHandler });
    const command = new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } });
    export const handler = middy({ executionMode: executionModeStreamifyResponse }).handler(async () => {
      const { Item } = await client.send(command);
      return Item.id.S;
    });`;
  const { file, inputs } = await bundle('builtins', contents, { splitting: true });
  expect(inputs).toContainEqual(expect.stringMatching(/@middy\/core\/executionModeStreamifyResponse\.js$/));
  expect(inputs).toContainEqual(expect.stringMatching(/shared-ini-file-loader\/readFile\.js$/));
  expect(inputs).toContainEqual(expect.stringMatching(/calculateBodyLength\.js$/));
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.0').end('{"Item":{"id":{"S":"read"}}}');
  });
  const url = await listen(server, 0);
  const script = `
    const { PassThrough } = process.getBuiltinModule('node:stream');
    globalThis.awslambda = { streamifyResponse: (handler) => handler };
    const { handler } = await import(${JSON.stringify(file)});
    const loaded = [...process.moduleLoadList];
    const stream = new PassThrough();
    await handler({}, stream, { getRemainingTimeInMillis: () => 1000 });
    console.log(JSON.stringify({ body: stream.read().toString(), loaded, later: process.moduleLoadList }));`;
  const environment = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIAENVIRONMENT',
    AWS_SECRET_ACCESS_KEY: 'secret',
    ENDPOINT: url,
  };
  try {
    const main = join(folder, 'builtins-main.mjs');
    await writeFile(main, script);
    const { stdout } = await promisify(execFile)(process.execPath, [main], { env: environment });
    const { body, loaded, later } = z
      .object({ body: z.string(), loaded: z.array(z.string()), later: z.array(z.string()) })
      .parse(JSON.parse(stdout));
    expect(body).toBe('read');
    expect(loaded).toContain('NativeModule https');
    for (const name of ['internal/fs/promises', 'internal/readline/interface'])
      expect(loaded).not.toContain(`NativeModule ${name}`);
    for (const name of ['internal/fs/streams', 'stream/web'])
      expect(later).not.toContain(`NativeModule ${name}`);
  } finally {
    await closeServer(server);
  }
});

test('schemas are written as JSON Schema by the function of zod, and not by methods', async () => {
  const contents = `
    import * as z from 'zod';
    export const schema = z.strictObject({
      name: z.string().min(1).optional(),
      size: z.union([z.int(), z.literal('all')]).default('all'),
      tags: z.record(z.string(), z.lazy(() => z.array(z.enum(['a', 'b']).nullable()))),
    });
    export const write = () => z.toJSONSchema(schema, { io: 'input' });`;
  const { file } = await bundle('json-schema', contents);
  const { schema, write }: { schema: z.ZodType; write: () => unknown } = await import(
    pathToFileURL(file).href
  );
  const own = z.strictObject({
    name: z.string().min(1).optional(),
    size: z.union([z.int(), z.literal('all')]).default('all'),
    tags: z.record(
      z.string(),
      z.lazy(() => z.array(z.enum(['a', 'b']).nullable())),
    ),
  });
  expect(write()).toEqual(z.toJSONSchema(own, { io: 'input' }));
  expect(() => schema.toJSONSchema()).toThrow('Call z.toJSONSchema() instead of the method.');
  const { file: ofClients } = await bundle('json-schema-of-clients', "export { zodSchema } from 'ai';");
  expect(await readFile(ofClients, 'utf8')).not.toContain('Call z.toJSONSchema() instead of the method.');
  const { inputs } = await bundle(
    'no-json-schema',
    "import * as z from 'zod'; export const text = z.string();",
  );
  expect(inputs).not.toContainEqual(expect.stringMatching(/to-json-schema\.js$/));
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
    const { AccessToken, AuthorizationCode, BaseToken, Client, ClientCredentials, DeviceCode } = provider;
    const { Grant, IdToken, InitialAccessToken, Interaction, PushedAuthorizationRequest } = provider;
    const { RefreshToken, RegistrationAccessToken, ReplayDetection, Session } = provider;
    const classes = {
      ...{ AccessToken, AuthorizationCode, BaseToken, Client, ClientCredentials, DeviceCode, Grant, IdToken },
      ...{ InitialAccessToken, Interaction, PushedAuthorizationRequest, RefreshToken },
      ...{ RegistrationAccessToken, ReplayDetection, Session },
    };
    expect(Object.values(classes).map(({ name }) => name)).toEqual(Object.keys(classes));
  } finally {
    await closeServer(server);
  }
});
