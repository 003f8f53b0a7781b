// Requests with the credential of a connection: what is added, where it may go, and that it goes nowhere
// else.
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { connectWith, fetchTo } from './connections.ts';
import { type Loopback, loopback, toLoopback } from './loopback.ts';

const bearer = (hosts: string[], token = 'hunter2-hunter2') => ({
  type: 'http_bearer',
  hosts,
  credential: { token },
});

const ok = async () => await loopback((_request, response) => response.end('fine'));

async function get(server: Loopback, value: object, init: RequestInit = {}, path = '/orders?a=1') {
  const connect = connectWith({ fetch: server.fetch, values: { crm: value } });
  const { fetch } = await connect('crm');
  return await fetch(`${server.url}${path}`, init);
}

describe('a request carries', () => {
  test.each([
    ['http_bearer', { token: 'hunter2-hunter2' }, 'authorization', 'Bearer hunter2-hunter2'],
    ['http_header', { header: 'X-Key', value: 'hunter2-hunter2' }, 'x-key', 'hunter2-hunter2'],
    [
      'http_basic',
      { username: 'ada', password: 'pass:word' },
      'authorization',
      `Basic ${btoa('ada:pass:word')}`,
    ],
  ])('%s in its header', async (type, credential, header, sent) => {
    await using server = await ok();
    await get(server, { type, hosts: [server.host], credential });
    expect(server.requests[0]?.headers[header]).toBe(sent);
    expect(server.requests[0]?.url).toBe('/orders?a=1');
  });

  test('http_query in its query, whose other parameters do not change', async () => {
    await using server = await ok();
    const credential = { parameter: 'key', value: 'a&b=c' };
    await get(server, { type: 'http_query', hosts: [server.host], credential }, {}, '/orders?a=1&key=mine');
    expect(server.requests[0]?.url).toBe('/orders?a=1&key=a%26b%3Dc');
  });

  test('the credential of the connection instead of a header of the flow', async () => {
    await using server = await ok();
    const headers = { Authorization: 'Bearer mine', 'X-Other': 'kept' };
    await get(server, bearer([server.host]), { headers });
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer hunter2-hunter2',
      'x-other': 'kept',
    });
  });

  test('no credential if no connection is named', async () => {
    await using server = await ok();
    const { fetch } = await connectWith({ fetch: server.fetch, values: { crm: bearer([server.host]) } })(
      undefined,
    );
    await fetch(server.url);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('a credential goes only to hosts that', () => {
  test.each([
    ['the flow does not allow', ['127.0.0.1'], ['api.crm.example']],
    ['its owner does not allow', ['api.crm.example'], ['127.0.0.1']],
  ])('not where %s', async (_what, owner, flow) => {
    await using server = await ok();
    const values = { crm: bearer(owner) };
    const declared = { crm: { type: 'http_bearer' as const, hosts: flow } };
    const { fetch } = await connectWith({ fetch: server.fetch, values, declared })('crm');
    await expect(fetch(server.url)).rejects.toMatchObject({
      code: 'connection.host',
      message: `The connection "crm" is not for the host ${server.host}.`,
    });
    expect(server.requests).toHaveLength(0);
  });

  test('both the flow and the connection allow, also after a redirect', async () => {
    await using other = await ok();
    await using server = await loopback((_request, response) => {
      response.writeHead(307, { location: `${other.url}/stolen` }).end();
    });
    const connect = connectWith({
      fetch: fetchTo(server.host, other.host),
      values: { crm: bearer([server.host]) },
    });
    const { fetch } = await connect('crm');
    await fetch(server.url, { headers: { accept: 'text/plain' } });
    expect(server.requests[0]?.headers).toHaveProperty('authorization');
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('are called over https', async () => {
    const fetch = createGuardedFetch({ allowPrivate: [] }, toLoopback);
    const connectionFetch = await connectWith({ fetch, values: { crm: bearer(['api.crm.example']) } })('crm');
    await expect(connectionFetch.fetch('http://api.crm.example/')).rejects.toMatchObject({
      code: 'egress.scheme',
    });
  });
});

describe('a connection', () => {
  test.each([
    ['that the flow does not declare', {}],
    ['that has no value', { crm: { type: 'http_bearer' as const, hosts: ['a.example'] } }],
    ['whose value has another type', { mail: { type: 'http_basic' as const, hosts: ['a.example'] } }],
  ])('%s is missing', async (_what, declared) => {
    const connect = connectWith({ fetch: fetchTo(), values: { mail: bearer(['a.example']) }, declared });
    await expect(connect(Object.keys(declared)[0] ?? 'crm')).rejects.toMatchObject({
      code: 'connection.missing',
    });
  });

  test('with the name of a member of Object.prototype is missing', async () => {
    await expect(connectWith({ fetch: fetchTo() })('constructor')).rejects.toMatchObject({
      code: 'connection.missing',
    });
  });
});

describe('a credential that a host repeats is redacted', () => {
  test.each([
    ['as it is', (sent: string) => `You sent ${sent}`],
    ['in JSON', (sent: string) => JSON.stringify({ sent })],
    ['in a URL', (sent: string) => `https://a.example/?x=${encodeURIComponent(sent)}`],
  ])('%s', async (_how, repeat) => {
    const token = 'hunter2"/hunter2';
    await using server = await loopback((request, response) => {
      response.end(repeat((request.headers.authorization ?? '').replace('Bearer ', '')));
    });
    const connect = connectWith({ fetch: server.fetch, values: { crm: bearer([server.host], token) } });
    const { fetch, redact } = await connect('crm');
    const said = redact(await (await fetch(server.url)).text());
    expect(said).toContain('[secret]');
    expect(said).not.toContain('hunter2');
  });

  test('unless it is so short that it may occur by chance', async () => {
    await using server = await ok();
    const { fetch, redact } = await connectWith({
      fetch: server.fetch,
      values: { crm: bearer([server.host], 'fine') },
    })('crm');
    expect(redact(await (await fetch(server.url)).text())).toBe('fine');
  });
});
