// A web page whose name points at this machine (DNS rebinding) must not reach the local service.
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startHttpListener } from '#lib/local/listen.ts';
import { isOwnName } from '#lib/local/own-names.ts';

test.each<[string | undefined, number, boolean]>([
  ['127.0.0.1:3000', 3000, true],
  ['localhost:3000', 3000, true],
  ['LOCALHOST:3000', 3000, true],
  ['[::1]:3000', 3000, true],
  ['localhost', 80, true],
  ['localhost', 3000, false],
  ['localhost:3001', 3000, false],
  ['evil.example:3000', 3000, false],
  ['127.0.0.1.evil.example:3000', 3000, false],
  ['localhost.:3000', 3000, false],
  ['127.0.0.2:3000', 3000, false],
  ['0.0.0.0:3000', 3000, false],
  ['user@127.0.0.1:3000', 3000, false],
  ['', 3000, false],
  [undefined, 3000, false],
])('the name %s at port %i is one of its own: %s', (host, port, isOwn) => {
  expect(isOwnName(host, port)).toBe(isOwn);
});

test('a request to another name gets 403, whatever it asks for, and reaches no function', async () => {
  const listener = await startHttpListener(0);
  const served: string[] = [];
  listener.open((incoming, response) => {
    served.push(incoming.url ?? '');
    response.end();
  });
  try {
    const ask = async (host: string) =>
      await new Promise<number | undefined>((resolve, reject) => {
        const url = new URL('/api/v1/me', listener.baseUrl);
        request(url, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    const { port } = new URL(listener.baseUrl);
    expect(await ask(`evil.example:${port}`)).toBe(403);
    expect(await ask(`localhost:${port}`)).toBe(200);
    expect(served).toEqual(['/api/v1/me']);
  } finally {
    await listener.close();
  }
});
