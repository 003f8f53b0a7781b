// The relays between the functions and providers of models, with scripted providers on loopback.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { findAwsAccess } from '#lib/local/aws-access.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { startAnthropicRelay, startBedrockRelay } from '#lib/local/model-relay.ts';
import { createModelPort } from '#lib/model/port.ts';
import { startModelServer } from '#test/support/model-server.ts';

interface Asked {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function provider() {
  const asked: Asked[] = [];
  const server = createServer();
  server.on('request', async (request, response) => {
    asked.push({ url: request.url, headers: request.headers, body: await readText(request) });
    response.writeHead(429, { 'content-type': 'application/x', 'retry-after': '7' }).end('slow down');
  });
  const url = await listen(server, 0);
  onTestFinished(() => closeServer(server));
  return { url, asked };
}

test('a request to Bedrock is signed with the credentials of the developer, for the region of the model', async () => {
  const { url, asked } = await provider();
  const access = findAwsAccess({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'very-secret',
    AWS_SESSION_TOKEN: 'session',
  });
  if (!access) throw new Error('There is no access.');
  const relay = await startBedrockRelay(access, url);
  onTestFinished(relay.close);
  const authorization =
    'AWS4-HMAC-SHA256 Credential=local/20261124/us-east-1/bedrock/aws4_request, Signature=0';
  const response = await fetch(`${relay.url}/model/amazon.nova-lite-v1%3A0/converse`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"messages":[]}',
  });
  expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([
    429,
    '7',
    'slow down',
  ]);
  expect(asked).toMatchObject([
    {
      url: '/model/amazon.nova-lite-v1%3A0/converse',
      body: '{"messages":[]}',
      headers: { 'x-amz-security-token': 'session' },
    },
  ]);
  expect(asked[0]?.headers.authorization).toMatch(/Credential=AKIAEXAMPLE\/\d{8}\/us-east-1\/bedrock\//);
  // Without the random path, the credentials are of no use to other programs.
  const guessed = await fetch(`${new URL(relay.url).origin}/model/x/converse`, {
    method: 'POST',
    body: '{}',
  });
  expect(guessed.status).toBe(404);
  expect(asked).toHaveLength(1);
});

test('a request to Anthropic for an object has its schema as an instruction, and any other stays as it is', async () => {
  const { url, asked } = await provider();
  const relay = await startAnthropicRelay(`${url}/v1`);
  onTestFinished(relay.close);
  const send = (body: object) =>
    fetch(`${relay.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer ant-key', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const messages = [{ role: 'user', content: 'Hi' }];
  await send({ model: 'm', messages });
  const schema = { type: 'object', required: ['kind'] };
  await send({
    model: 'm',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'r', schema } },
  });
  expect(asked.map((request) => [request.url, request.headers.authorization])).toEqual([
    ['/v1/chat/completions', 'Bearer ant-key'],
    ['/v1/chat/completions', 'Bearer ant-key'],
  ]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ model: 'm', messages });
  const content = expect.stringContaining(JSON.stringify(schema));
  expect(JSON.parse(asked[1]?.body ?? '')).toEqual({
    model: 'm',
    messages: [{ role: 'system', content }, ...messages],
  });
});

test('the client of Bedrock reaches it below its random path', async () => {
  await using bedrock = await startModelServer({ text: 'Hello.' });
  const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 's' };
  const access = findAwsAccess(env);
  if (!access) throw new Error('There is no access.');
  const relay = await startBedrockRelay(access, bedrock.url);
  onTestFinished(relay.close);
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', relay.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  onTestFinished(() => void vi.unstubAllEnvs());
  const port = createModelPort({
    models: { nova: { provider: 'bedrock', model: 'eu.amazon.nova-lite-v1:0', region: 'eu-central-1' } },
    defaultModel: 'nova',
    fetch: createGuardedFetch({ allowPrivate: [] }),
  });
  const request = { model: {}, messages: [{ role: 'user', content: 'Hi' }] } as const;
  const answer = await port(request, {
    runId: 'r',
    key: 'n.1',
    nodeId: 'n',
    visit: 1,
    attempt: 1,
    signal: new AbortController().signal,
  });
  expect(answer.output).toBe('Hello.');
});
