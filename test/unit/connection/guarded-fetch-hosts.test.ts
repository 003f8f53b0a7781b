// The attack corpus of the guarded fetch, second half: what a hostile host answers. Nothing here leaves
// loopback.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { loopback, noNames, toLoopback } from './loopback.ts';

const refused = (code: string) => expect.objectContaining({ name: 'EgressError', code });

describe('a redirect is checked like the first request', () => {
  test.each([
    ['https://127.0.0.1/', 'egress.private_address'],
    ['https://169.254.169.254/latest/meta-data/', 'egress.private_address'],
    ['https://[::ffff:169.254.169.254]/', 'egress.private_address'],
    ['https://2130706433/', 'egress.private_address'],
    ['http://127.0.0.1:9001/', 'egress.scheme'],
    ['http://example.com/', 'egress.scheme'],
    ['file:///etc/passwd', 'egress.scheme'],
    ['https://user:pw@example.com/', 'egress.credentials_in_url'],
    ['https://', 'egress.redirects'],
  ])('to %s: %s', async (location, code) => {
    await using server = await loopback((_request, response) => {
      response.writeHead(307, { location }).end();
    });
    await expect(server.fetch(server.url)).rejects.toEqual(refused(code));
    expect(server.requests).toHaveLength(1);
  });

  test('to a name that resolves to a private address is refused', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(302, { location: 'https://rebind.test/' }).end();
    });
    const rebinding = createGuardedFetch({ allowPrivate: [server.host] }, toLoopback);
    await expect(rebinding(server.url)).rejects.toEqual(refused('egress.private_address'));
  });

  test('the fourth redirect in a row is refused', async () => {
    await using server = await loopback((request, response) => {
      response.writeHead(302, { location: `${request.url}x` }).end();
    });
    await expect(server.fetch(`${server.url}/`)).rejects.toEqual(refused('egress.redirects'));
    expect(server.requests.map((request) => request.url)).toEqual(['/', '/x', '/xx', '/xxx']);
  });

  test('credentials in any header are sent only to the first host', async () => {
    await using second = await loopback((_request, response) => response.end('ok'));
    await using first = await loopback((_request, response) => {
      response.writeHead(307, { location: second.url }).end();
    });
    const both = createGuardedFetch({ allowPrivate: [first.host, second.host] }, noNames);
    const headers = {
      authorization: 'Bearer a',
      cookie: 'b=c',
      'x-vendor': 'd',
      'x-api-key': 'e',
      accept: 'text/plain',
    };
    await both(first.url, { headers });
    expect(first.requests[0]?.headers).toMatchObject(headers);
    expect(second.requests[0]?.headers).toMatchObject({ accept: 'text/plain' });
    for (const name of ['authorization', 'cookie', 'x-vendor', 'x-api-key']) {
      expect(second.requests[0]?.headers).not.toHaveProperty(name);
    }
  });
});

describe('a large or slow response is aborted', () => {
  const limits = { responseBytesMax: 10_000, headersMs: 80, bodyMs: 80 };

  test('a body with a Content-Length above the limit is not read', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'content-length': 10_001 });
      response.flushHeaders();
    });
    await expect(server.fetch(server.url, { limits })).rejects.toEqual(refused('egress.too_large'));
  });

  test('a body without end is aborted at the limit', async () => {
    await using server = await loopback((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1000)));
      };
      response.on('drain', more);
      more();
    });
    const response = await server.fetch(server.url, { limits: { responseBytesMax: 10_000 } });
    await expect(response.text()).rejects.toEqual(refused('egress.too_large'));
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('a %s bomb is aborted at the limit of decoded bytes', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(20_000_000));
    expect(bomb.byteLength).toBeLessThan(30_000);
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
    });
    const response = await server.fetch(server.url, { limits: { responseBytesMax: 1_000_000 } });
    await expect(response.arrayBuffer()).rejects.toEqual(refused('egress.too_large'));
  });

  test.each(['gzip, gzip', 'zstd', 'constructor'])(
    'the content encoding "%s" is refused',
    async (encoding) => {
      await using server = await loopback((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end('x');
      });
      await expect(server.fetch(server.url)).rejects.toEqual(refused('egress.encoding'));
    },
  );

  test.each(['gzip', 'deflate', 'br'])(
    'a body that is not the %s it claims to be is refused',
    async (encoding) => {
      await using server = await loopback((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end('plainly not compressed');
      });
      await expect((await server.fetch(server.url)).text()).rejects.toEqual(refused('egress.encoding'));
    },
  );

  test('a response without headers times out', async () => {
    await using server = await loopback(() => undefined);
    await expect(server.fetch(server.url, { limits })).rejects.toEqual(refused('egress.timeout'));
  });

  test('a response whose body is sent too slowly times out', async () => {
    await using server = await loopback((_request, response) => {
      const trickle = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(trickle));
    });
    const response = await server.fetch(server.url, { limits });
    await expect(response.text()).rejects.toEqual(refused('egress.timeout'));
  });

  test('a response with endless headers fails', async () => {
    await using server = await loopback((_request, response) => {
      response.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end();
    });
    await expect(server.fetch(server.url)).rejects.toThrow(new TypeError('fetch failed'));
  });

  test('a request body over the limit is refused before anything is sent', async () => {
    await using server = await loopback((_request, response) => response.end());
    const init = { method: 'POST', body: 'x'.repeat(101), limits: { requestBytesMax: 100 } };
    await expect(server.fetch(server.url, init)).rejects.toEqual(refused('egress.too_large'));
    expect(server.requests).toHaveLength(0);
  });

  test('control characters in a status line are removed', async () => {
    await using server = await loopback((request) => {
      request.socket.end('HTTP/1.1 200 O\x01K\r\ncontent-length: 2\r\n\r\nok', 'latin1');
    });
    const response = await server.fetch(server.url);
    expect([response.statusText, await response.text()]).toEqual(['OK', 'ok']);
  });

  test.each([600, 999])('the invalid status %d is refused', async (status) => {
    await using server = await loopback((_request, response) => response.writeHead(status).end());
    await expect(server.fetch(server.url)).rejects.toEqual(refused('egress.response'));
  });
});
