// The parts of `npm run clients` that decide what a failure of a client is.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, freePort, listen } from '#lib/local/listen.ts';
import { land } from '#test/clients/program/child.ts';
import { formatFailures, tryClient } from '#test/clients/program/table.ts';

const newUrl = async () => new URL(`http://127.0.0.1:${await freePort()}/callback?code=c`);

test('a client that begins to listen after it has printed where to sign in gets its code', async () => {
  const url = await newUrl();
  const server = createServer(({ url: path }, response) => response.end(path));
  onTestFinished(() => closeServer(server));
  const landed = land(url);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  await listen(server, Number(url.port));
  expect(await (await landed).text()).toBe('/callback?code=c');
});

test('a client that closes the connection without a response has failed', async () => {
  const server = createServer((request) => request.socket.destroy());
  onTestFinished(() => closeServer(server));
  await expect(land(new URL(await listen(server, 0)))).rejects.toThrow('fetch failed');
});

test('a failure names its cause, and the step that was not reached', async () => {
  const url = await newUrl();
  const results = await tryClient({
    name: 'a client',
    steps: ['sign-in', 'tools'],
    run: async (step) => {
      await step('sign-in', async () => await Promise.resolve());
      await step('tools', async () => await fetch(url));
    },
  });
  expect(formatFailures(results)).toMatch(/^ {2}a client, tools: fetch failed \(connect ECONNREFUSED .*\)$/);
});
