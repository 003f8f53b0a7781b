// What becomes of a credential when the host that may have it redirects: the same origin gets it again, no
// other is ever sent it, and an origin that was left does not get it back. Real servers on loopback, for
// every type of credential and every redirect status.
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAgentPort } from '#lib/a2a-client/port.ts';
import { createMcpPort } from '#lib/mcp/port.ts';
import { createModelPort } from '#lib/model/port.ts';
import { secret } from '#lib/secret.ts';
import { call, connectWith, fetchTo } from './connections.ts';
import { type Loopback, loopback } from './loopback.ts';

const canary = 'hunter2-hunter2';
const statuses = [301, 302, 303, 307, 308];

/**
 * Header names that a redirect to another origin lets through when a flow sets them, and two that it never
 * does.
 */
const headerNames = [
  'Accept',
  'Accept-Language',
  'Content-Language',
  'Content-Type',
  'Idempotency-Key',
  'Traceparent',
  'User-Agent',
  'X-Key',
  'Authorization',
];

type Value = readonly [label: string, type: string, credential: (issuer: string) => object];
const oauth = (issuer: string) => ({ token_url: `${issuer}/token`, client_id: 'flows' });
const values: readonly Value[] = [
  ['http_bearer', 'http_bearer', () => ({ token: canary })],
  ['http_basic', 'http_basic', () => ({ username: 'ada', password: canary })],
  ['http_query', 'http_query', () => ({ parameter: 'key', value: canary })],
  [
    'oauth_client_credentials',
    'oauth_client_credentials',
    (at) => ({ ...oauth(at), client_secret: 'a-secret-of-ours' }),
  ],
  ['oauth_user', 'oauth_user', (at) => ({ ...oauth(at), refresh_token: 'a-refresh-token' })],
  ...headerNames.map(
    (header): Value => [`http_header ${header}`, 'http_header', () => ({ header, value: canary })],
  ),
];

/** Redirects as its paths say (`/302/<target>`, encoded), and gives the canary as an access token. */
const hop = async () =>
  await loopback((request, response) => {
    const [, status, target] = /^\/(\d{3})\/([^?]*)/.exec(request.url ?? '') ?? [];
    if (request.url === '/token')
      return void response.end(JSON.stringify({ access_token: canary, token_type: 'bearer' }));
    if (status === undefined || target === undefined) return void response.end('"fine"');
    response.writeHead(Number(status), { location: decodeURIComponent(target) }).end();
  });

const via = (status: number, target: string) => `/${status}/${encodeURIComponent(target)}`;

const forms = [canary, Buffer.from(`ada:${canary}`).toString('base64')];
const holdsCredential = ({ url = '', rawHeaders }: IncomingMessage) =>
  forms.some((form) => `${url} ${rawHeaders.join(' ')}`.includes(form));
const got = ({ requests }: Loopback) => requests.filter(({ url }) => url !== '/token').map(holdsCredential);

/** The connection is for the first host alone; its flow may reach them all. */
async function connectedTo(first: Loopback, [, type, credential]: Value, ...others: Loopback[]) {
  const fetch = fetchTo(first.host, ...others.map(({ host }) => host));
  const crm = { type, hosts: [first.host], credential: credential(first.url) };
  return await connectWith({ fetch, values: { crm } })('crm');
}

describe.each(values)('a credential of type %s', (...value) => {
  test.each(statuses)('is sent along to the same origin with a %d', async (status) => {
    await using first = await hop();
    const { fetch } = await connectedTo(first, value);
    const response = await fetch(`${first.url}${via(status, '/to?a=1')}`, { method: 'POST', body: 'text' });
    expect(got(first)).toEqual([true, true]);
    expect(response.url).toBe(`${first.url}/to?a=1`);
  });

  test.each(statuses)(
    'is not sent to another origin with a %d, nor after a redirect back from there',
    async (status) => {
      await using first = await hop();
      await using other = await hop();
      const { fetch } = await connectedTo(first, value, other);
      const back = `${other.url}${via(status, `${first.url}/again`)}`;
      await fetch(`${first.url}${via(status, back)}`, { method: 'POST', body: 'text' });
      expect(got(other)).toEqual([false]);
      expect(got(first)).toEqual([true, false]);
    },
  );
});

const header = (name: string): Value => ['', 'http_header', () => ({ header: name, value: canary })];
const query: Value = ['', 'http_query', () => ({ parameter: 'key', value: canary })];

describe('a header that the flow has set itself', () => {
  test('is sent to another origin instead of the credential if it is harmless', async () => {
    await using first = await hop();
    await using other = await hop();
    const { fetch } = await connectedTo(first, header('User-Agent'), other);
    const headers = { 'user-agent': 'my-flow/1', accept: 'text/plain', 'x-mine': 'kept here' };
    await fetch(`${first.url}${via(302, `${other.url}/to`)}`, { headers });
    expect(first.requests[0]?.headers).toMatchObject({ 'user-agent': canary, 'x-mine': 'kept here' });
    expect(other.requests[0]?.headers).toMatchObject({ 'user-agent': 'my-flow/1', accept: 'text/plain' });
    expect(other.requests[0]?.headers).not.toHaveProperty('x-mine');
  });

  test('is not sent to another origin if it is sensitive', async () => {
    await using first = await hop();
    await using other = await hop();
    const { fetch } = await connectedTo(first, header('X-Key'), other);
    await fetch(`${first.url}${via(302, `${other.url}/to`)}`, { headers: { 'x-key': 'mine' } });
    expect(other.requests[0]?.headers).not.toHaveProperty('x-key');
  });
});

describe('a host that repeats the credential in Location', () => {
  test('as the query parameter is followed without it', async () => {
    await using first = await hop();
    await using other = await hop();
    const { fetch } = await connectedTo(first, query, other);
    await fetch(`${first.url}${via(301, `${other.url}/to?a=1&key=${canary}&key=other`)}`);
    expect(other.requests[0]?.url).toBe('/to?a=1&key=other');
  });

  test.each([
    ['in a path', query, `/to/${canary}`],
    ['under another name', query, `/to?token=${canary}`],
    ['inside a URL', query, `/login?next=${encodeURIComponent(`https://a.example/?key=${canary}`)}`],
    ['from a header', header('X-Key'), `/to?key=${canary}`],
  ])('%s to another origin is not followed, and the message does not show it', async (_how, value, path) => {
    await using first = await hop();
    await using other = await hop();
    const { fetch } = await connectedTo(first, value, other);
    const sent = fetch(`${first.url}${via(302, `${other.url}${path}`)}`);
    await expect(sent).rejects.toMatchObject({
      code: 'egress.redirects',
      message: 'The host "127.0.0.1" repeats the credential in a redirect to another host.',
    });
    expect(other.requests).toHaveLength(0);
  });

  test('does not show it in the URL of the answer', async () => {
    await using first = await hop();
    const { fetch } = await connectedTo(first, query);
    const { url } = await fetch(`${first.url}${via(302, `/to?key=${canary}`)}`);
    expect(url).toBe(`${first.url}/to`);
  });
});

test('a 401 of a host that was sent no token does not request a new one', async () => {
  await using other = await loopback((_request, response) => response.writeHead(401).end());
  await using first = await hop();
  const client: Value = [
    '',
    'oauth_client_credentials',
    (at) => ({ ...oauth(at), client_secret: 'a-secret' }),
  ];
  const { fetch } = await connectedTo(first, client, other);
  expect((await fetch(`${first.url}${via(302, `${other.url}/to`)}`)).status).toBe(401);
  expect(first.requests.filter(({ url }) => url === '/token')).toHaveLength(1);
});

describe.each(statuses)('with a %d', (status) => {
  test('the key of a model is sent only to its provider', async () => {
    await using first = await hop();
    await using other = await hop();
    const own = {
      provider: 'openai-compatible',
      base_url: `${first.url}${via(status, `${other.url}/v1`)}?`,
      model: 'm',
      api_key_ref: 'KEY',
    } as const;
    const fetch = fetchTo(first.host, other.host);
    const port = createModelPort({
      models: { own },
      defaultModel: 'own',
      fetch,
      apiKey: () => secret(canary),
    });
    await port({ model: {}, messages: [{ role: 'user', content: 'hi' }] }, call).catch(() => undefined);
    expect([got(first), got(other)]).toEqual([[true], [false]]);
  });

  test('a redirect of a token endpoint is not followed, not even on its own origin', async () => {
    await using api = await hop();
    await using first = await hop();
    await using other = await hop();
    for (const target of ['/token', `${other.url}/token`]) {
      const credential = {
        client_id: 'flows',
        client_secret: canary,
        token_url: `${first.url}${via(status, target)}`,
      };
      const crm = { type: 'oauth_client_credentials', hosts: [api.host], credential };
      const { fetch } = await connectWith({
        fetch: fetchTo(first.host, other.host, api.host),
        values: { crm },
      })('crm');
      await expect(fetch(api.url)).rejects.toMatchObject({ code: 'connection.unavailable' });
    }
    expect([first.requests.length, other.requests.length, api.requests.length]).toEqual([2, 0, 0]);
  });

  test.each(['an MCP server', 'an agent'])(
    'the credential for %s is sent to no other origin',
    async (what) => {
      await using first = await hop();
      await using other = await hop();
      const crm = {
        type: 'http_header',
        hosts: [first.host],
        credential: { header: 'Accept', value: canary },
      };
      const connect = connectWith({ fetch: fetchTo(first.host, other.host), values: { crm } });
      const url = `${first.url}${via(status, `${other.url}/card.json`)}`;
      const to = { egress: [first.host, other.host], connection: 'crm' };
      if (what === 'an agent') {
        const agent = createAgentPort({ getFetch: connect, addresses: ['https://a.example'] });
        await agent({ key: 'k', ...to, agent: url, text: 'hi', metadata: {} }, call).catch(() => undefined);
      } else
        await createMcpPort(connect)
          .list({ ...to, url }, call)
          .catch(() => undefined);
      expect(got(first)[0]).toBe(true);
      // The MCP SDK follows no redirect of a session.
      expect(got(other)).toEqual(what === 'an agent' ? [false] : []);
    },
  );
});

test('in any chain of redirects only the first origin gets the credential, and only before the first other origin', async () => {
  await using first = await hop();
  await using second = await hop();
  await using third = await hop();
  const servers = [first, second, third] as const;
  const step = fc.record({ to: fc.nat(2), status: fc.constantFrom(...statuses), repeats: fc.boolean() });
  const property = fc.asyncProperty(
    fc.constantFrom(...values),
    fc.array(step, { maxLength: 3 }),
    fc.constantFrom('GET', 'POST', 'PUT'),
    async (value, steps, method) => {
      for (const { requests } of servers) requests.length = 0;
      let url = `${servers[steps.at(-1)?.to ?? 0]?.url}/end`;
      for (const [n, { status, repeats }] of [...steps.entries()].reverse()) {
        const from = servers[steps[n - 1]?.to ?? 0] ?? first;
        url = `${from.url}${via(status, repeats ? `${url}?key=${canary}` : url)}`;
      }
      const { fetch } = await connectedTo(first, value, second, third);
      const body = method === 'GET' ? null : 'text';
      const headers = { accept: 'text/plain', 'user-agent': 'my-flow/1' };
      await fetch(url, { method, body, headers }).catch((error: unknown) =>
        expect(error).toMatchObject({ code: 'egress.redirects' }),
      );
      expect(got(first)[0]).toBe(true);
      for (const server of [second, third]) expect(got(server)).not.toContain(true);
      const stays = steps.findIndex(({ to }) => to !== 0);
      const withIt = got(first).filter(Boolean).length;
      expect(withIt).toBeLessThanOrEqual(1 + (stays < 0 ? steps.length : stays));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});
