// Connections with OAuth tokens, against a token endpoint and a host on loopback.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { connectWith, fetchTo } from './connections.ts';
import { loopback, readText } from './loopback.ts';

interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

/** A token endpoint that gives `token-1`, `token-2`, …, and a host that accepts the given tokens. */
async function world(
  answer: (n: number) => { status?: number; body: unknown } = (n) => ({ body: tokens(n) }),
) {
  const asked: TokenRequest[] = [];
  const refused = new Set<string>();
  const issuer = await loopback(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await readText(request)));
    asked.push({ authorization: request.headers.authorization, form });
    const { status = 200, body } = answer(asked.length);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const api = await loopback((request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(refused.has(request.headers.authorization ?? '') ? 401 : 200).end('fine');
  });
  const sent = () => api.requests.map(({ headers }) => headers.authorization);
  const close = async () => {
    await issuer[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  };
  const fetch = fetchTo(issuer.host, api.host);
  return { asked, refused, issuer, api, sent, fetch, [Symbol.asyncDispose]: close };
}
type World = Awaited<ReturnType<typeof world>>;

const tokens = (n: number, some: object = {}) => ({
  access_token: `token-${n}`,
  token_type: 'Bearer',
  expires_in: 3600,
  ...some,
});

const client = ({ issuer, api }: World, some: object = {}) => ({
  type: 'oauth_client_credentials',
  hosts: [api.host],
  credential: {
    token_url: `${issuer.url}/token`,
    client_id: 'flows',
    client_secret: 'hunter2-hunter2',
    scopes: ['read', 'write'],
    ...some,
  },
});

const user = ({ issuer, api }: World, some: object = {}) => ({
  type: 'oauth_user',
  hosts: [api.host],
  credential: {
    token_url: `${issuer.url}/token`,
    client_id: 'flows',
    refresh_token: 'refresh-0',
    ...some,
  },
});

const connectionFetch = async (where: World, value: object, more = {}) =>
  await connectWith({ fetch: where.fetch, values: { crm: value }, ...more })('crm');

describe('client credentials', () => {
  test('are exchanged for a token, once for many concurrent requests', async () => {
    await using where = await world();
    const { fetch } = await connectionFetch(where, client(where));
    await Promise.all([1, 2, 3].map(async () => await fetch(where.api.url)));
    await fetch(where.api.url);
    expect(where.sent()).toEqual(Array(4).fill('Bearer token-1'));
    expect(where.asked).toEqual([
      {
        authorization: `Basic ${btoa('flows:hunter2-hunter2')}`,
        form: { grant_type: 'client_credentials', scope: 'read write' },
      },
    ]);
  });

  test('are sent in the body if the endpoint requires that', async () => {
    await using where = await world();
    const { fetch } = await connectionFetch(where, client(where, { client_auth: 'body' }));
    await fetch(where.api.url);
    expect(where.asked[0]).toMatchObject({
      authorization: undefined,
      form: { client_id: 'flows', client_secret: 'hunter2-hunter2' },
    });
  });

  test('are exchanged again when the token is about to expire', async () => {
    await using where = await world();
    let now = 0;
    const { fetch } = await connectionFetch(where, client(where), {
      memory: newTokenMemory({ now: () => now }),
    });
    await fetch(where.api.url);
    now = 3_541_000;
    await fetch(where.api.url);
    expect(where.sent()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('are exchanged again when the host refuses the token, and the request is sent once more', async () => {
    await using where = await world();
    where.refused.add('Bearer token-1');
    const { fetch } = await connectionFetch(where, client(where));
    expect((await fetch(where.api.url, { method: 'POST', body: 'x' })).status).toBe(200);
    expect(where.sent()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('are not exchanged a third time', async () => {
    await using where = await world();
    for (const n of [1, 2, 3]) where.refused.add(`Bearer token-${n}`);
    const { fetch } = await connectionFetch(where, client(where));
    expect((await fetch(where.api.url)).status).toBe(401);
    expect(where.sent()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('many concurrent requests that are refused share one new token', async () => {
    await using where = await world();
    where.refused.add('Bearer token-1');
    const { fetch } = await connectionFetch(where, client(where));
    const answers = await Promise.all([1, 2, 3].map(async () => await fetch(where.api.url)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(where.asked).toHaveLength(2);
  });

  test('a token that the host repeats is redacted', async () => {
    await using where = await world(() => ({ body: tokens(1, { access_token: 'a-long-token' }) }));
    const { fetch, redact } = await connectionFetch(where, client(where));
    await fetch(where.api.url);
    expect(redact('You sent a-long-token')).toBe('You sent [secret]');
  });
});

describe('tokens of a user', () => {
  test('are used as they were stored until they expire', async () => {
    await using where = await world();
    const stored = { access_token: 'stored', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const { fetch } = await connectionFetch(where, user(where, stored));
    await fetch(where.api.url);
    expect(where.sent()).toEqual(['Bearer stored']);
    expect(where.asked).toEqual([]);
  });

  test('are refreshed, and the new tokens are stored', async () => {
    await using where = await world((n) => ({ body: tokens(n, { refresh_token: `refresh-${n}` }) }));
    const stored = { access_token: 'stored', expires_at: new Date(0).toISOString() };
    const { fetch } = await connectionFetch(where, user(where, stored));
    await fetch(where.api.url);
    where.refused.add('Bearer token-1');
    await fetch(where.api.url);
    expect(where.sent()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    expect(where.asked.map(({ form }) => form.refresh_token)).toEqual(['refresh-0', 'refresh-1']);
    expect(where.asked[0]).toMatchObject({ authorization: undefined, form: { client_id: 'flows' } });
  });
});

test('a refresh token that could not be stored is the next one that this process uses', async () => {
  await using where = await world((n) => ({ body: tokens(n, { refresh_token: `refresh-${n}` }) }));
  let isAway = true;
  const { fetch } = await connectionFetch(where, user(where), { keeps: () => !isAway });
  await fetch(where.api.url);
  isAway = false;
  where.refused.add('Bearer token-1');
  await fetch(where.api.url);
  expect(where.asked.map(({ form }) => form.refresh_token)).toEqual(['refresh-0', 'refresh-1']);
});

describe('a token endpoint', () => {
  test.each([
    ['refuses', { status: 400, body: { error: 'invalid_grant' } }, 'connection.refused', 'invalid_grant'],
    ['refuses in other words', { status: 403, body: '<hunter2-hunter2>' }, 'connection.refused', '403'],
    ['is not available', { status: 503, body: {} }, 'connection.unavailable', '503'],
    ['gives no token', { body: { token_type: 'Bearer' } }, 'connection.refused', '200'],
    [
      'gives a token of another kind',
      { body: tokens(1, { token_type: 'mac' }) },
      'connection.refused',
      '200',
    ],
  ])('%s', async (_what, answer, code, said) => {
    await using where = await world(() => answer);
    const { fetch } = await connectionFetch(where, client(where));
    const failure = fetch(where.api.url);
    await expect(failure).rejects.toMatchObject({
      name: 'NodeError',
      code,
      message: expect.stringContaining(said),
    });
    await expect(failure).rejects.not.toThrow(/hunter2/);
    expect(where.api.requests).toHaveLength(0);
  });

  test('that refuses connections fails with unavailable', async () => {
    await using where = await world();
    await where.issuer[Symbol.asyncDispose]();
    const { fetch } = await connectionFetch(where, client(where));
    await expect(fetch(where.api.url)).rejects.toMatchObject({ code: 'connection.unavailable' });
  });

  test('that redirects is not followed', async () => {
    await using thief = await loopback((_request, response) => response.end('{}'));
    await using where = await world();
    await using fork = await loopback((_request, response) => {
      response.writeHead(307, { location: thief.url }).end();
    });
    const connect = connectWith({
      fetch: fetchTo(fork.host, thief.host, where.api.host),
      values: { crm: client(where, { token_url: fork.url }) },
    });
    await expect((await connect('crm')).fetch(where.api.url)).rejects.toMatchObject({
      code: 'connection.unavailable',
    });
    expect(thief.requests).toHaveLength(0);
  });
});
