// Clients that are known by the URL of a metadata document: which URLs the service does not fetch.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { closeServer } from '#lib/local/listen.ts';
import { authorizeUrl, errorOf, newPkce, requestToken } from '#test/support/oauth.ts';
import { Browser } from '#test/support/person.ts';

async function ask(clientId: string) {
  const response = await new Browser().fetch(authorizeUrl(clientId, newPkce()));
  const page = await response.text();
  return [
    response.status,
    /name="error-code" content="(\w+)"/.exec(page)?.[1],
    response.headers.get('location'),
  ];
}

test.each([
  'https://127.0.0.1/client.json',
  'https://[::1]/client.json',
  'https://localhost/client.json',
  'https://10.0.0.1/client.json',
  'https://192.168.1.1/client.json',
  'https://169.254.169.254/latest/meta-data',
  'https://[::ffff:169.254.169.254]/client.json',
  'https://[fd00:ec2::254]/client.json',
  'https://2130706433/client.json',
  'https://0x7f.1/client.json',
])('%s is not fetched, and the client is refused', async (clientId) => {
  expect(await ask(clientId)).toEqual([400, 'invalid_client', null]);
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'x' };
  const [status, error] = await errorOf(await requestToken(form));
  expect([status, error]).toEqual([400, 'invalid_client']);
});

test.each(['http:', 'ftp:', 'file:'])('a document at a %s URL is no client', async (protocol) => {
  expect(await ask(`${protocol}//client.example.com/client.json`)).toEqual([400, 'invalid_client', null]);
});

/** Of the addresses of the device the local host allows flows 127.0.0.1 alone. */
test('no connection reaches a server at a private address', async () => {
  let connections = 0;
  const server = createServer().on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  try {
    expect(await ask(`https://127.0.0.2:${port}/client.json`)).toEqual([400, 'invalid_client', null]);
    expect(connections).toBe(0);
  } finally {
    await closeServer(server);
  }
});

test('a document that cannot be read is fetched once for a request', async () => {
  let connections = 0;
  const server = createServer().on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  try {
    expect(await ask(`https://127.0.0.1:${port}/client.json`)).toEqual([400, 'invalid_client', null]);
    expect(connections).toBe(1);
  } finally {
    await closeServer(server);
  }
});
