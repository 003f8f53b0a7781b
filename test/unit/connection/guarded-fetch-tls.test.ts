// The guarded fetch and certificates.
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { loopbackCertificate as cert, loopbackKey as key } from '#test/support/loopback-certificate.ts';
import { loopback, noNames, toLoopback } from './loopback.ts';

interface Secure extends AsyncDisposable {
  readonly port: string;
  readonly url: string;
}

async function secureServer(listener: RequestListener): Promise<Secure> {
  const server = createServer({ key, cert }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const close = () =>
    new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
  const port = String(address.port);
  return { port, url: `https://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

const authorities = getCACertificates();
afterEach(() => setDefaultCACertificates(authorities));

const trustIt = () => setDefaultCACertificates([...authorities, cert]);

const failed = (code: string) =>
  expect.objectContaining({ message: 'fetch failed', cause: expect.objectContaining({ code }) });

test('a self-signed certificate is refused, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
  await using server = await secureServer((_request, response) => response.end('trusted a stranger'));
  const fetch = createGuardedFetch({ allowPrivate: [`127.0.0.1:${server.port}`] }, noNames);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    await expect(fetch(server.url)).rejects.toEqual(failed('DEPTH_ZERO_SELF_SIGNED_CERT'));
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
});

test('a trusted certificate is accepted for its host, and for no other', async () => {
  trustIt();
  await using server = await secureServer((_request, response) => response.end('hello'));
  const allowPrivate = [`127.0.0.1:${server.port}`, `orders.test:${server.port}`];
  const fetch = createGuardedFetch({ allowPrivate }, toLoopback);
  expect(await (await fetch(server.url)).text()).toBe('hello');
  await expect(fetch(`https://orders.test:${server.port}/`)).rejects.toEqual(
    failed('ERR_TLS_CERT_ALTNAME_INVALID'),
  );
});

test('a redirect from https to http is refused, even to a host that may be called over http', async () => {
  trustIt();
  await using plain = await loopback((_request, response) => response.end('listened in'));
  await using server = await secureServer((_request, response) => {
    response.writeHead(307, { location: plain.url }).end();
  });
  const fetch = createGuardedFetch({ allowPrivate: [`127.0.0.1:${server.port}`, plain.host] }, noNames);
  await expect(fetch(server.url)).rejects.toMatchObject({ code: 'egress.downgrade' });
  expect(plain.requests).toHaveLength(0);
});
