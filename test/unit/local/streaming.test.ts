// Streamed answers over HTTP: the prelude becomes status and headers, chunks arrive as they are written,
// failures cut or answer.
import { channel } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Host, startHost } from '#lib/local/host.ts';
import { fn, restApi } from './fixtures/template.ts';

const template = {
  Resources: {
    Stream: fn('stream'),
    Middy: fn('stream-middy'),
    Echo: fn('echo'),
    ...restApi([
      { method: 'POST', path: '/stream', functionId: 'Stream', stream: true },
      {
        method: 'POST',
        path: '/impatient',
        functionId: 'Stream',
        stream: true,
        integration: { TimeoutInMillis: 50 },
      },
      { method: 'POST', path: '/middy', functionId: 'Middy', stream: true },
      { method: 'POST', path: '/mistaken', functionId: 'Echo', stream: true },
    ]),
  },
};

let host: Host;
const logged: string[] = [];
beforeAll(async () => {
  host = await startHost({ template, dataDir: undefined, port: 0, log: (line) => logged.push(line) });
});
afterAll(() => host.close());

const post = (path: string, wish: object = {}, signal: AbortSignal | null = null) =>
  fetch(`${host.baseUrl}${path}`, { method: 'POST', body: JSON.stringify(wish), signal });

const goOn = () => channel('fixture:go-on').publish({});

/** What the streaming fixture says when its response stream has closed. */
function nextSaid(): Promise<unknown> {
  return new Promise((resolve) => {
    const said = channel('fixture:said');
    const listen = (message: unknown) => {
      said.unsubscribe(listen);
      resolve(message);
    };
    said.subscribe(listen);
  });
}

async function firstChunk(response: Response) {
  const reader = response.body?.getReader();
  const chunk = await reader?.read();
  return { reader, chunk: Buffer.from(chunk?.value ?? []).toString() };
}

test('status, headers and the first chunk arrive while the handler still runs', async () => {
  const response = await post('/stream');
  expect(response.status).toBe(201);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
  const { reader, chunk } = await firstChunk(response);
  expect(chunk).toBe('first ');
  goOn();
  const rest = await reader?.read();
  expect(Buffer.from(rest?.value ?? []).toString()).toBe('second');
  expect((await reader?.read())?.done).toBe(true);
});

test('status and headers arrive before the first byte of the body', async () => {
  const response = await post('/stream', { headFirst: true });
  expect(response.status).toBe(201);
  goOn();
  expect(await response.text()).toBe('second');
});

test('a middy handler in streaming mode works without changes', async () => {
  const response = await post('/middy');
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({ beats: 2 });
});

test('a handler that throws before its first write gives 502', async () => {
  expect((await post('/stream', { throwBefore: true })).status).toBe(502);
});

test('a stream without a prelude, and a function that does not stream, give 502', async () => {
  expect((await post('/stream', { noPrelude: true })).status).toBe(502);
  expect((await post('/mistaken')).status).toBe(502);
});

test('a handler that ends without a write sends no prelude, as in Lambda, and gives 502', async () => {
  expect((await post('/stream', { endWithoutWrite: true })).status).toBe(502);
});

test('no response before the integration timeout gives 504', async () => {
  expect((await post('/impatient', { hang: true })).status).toBe(504);
});

test('a handler that throws later is logged, and its connection is closed', async () => {
  const response = await post('/stream', { throwAfter: true });
  const { reader, chunk } = await firstChunk(response);
  expect(chunk).toBe('first ');
  goOn();
  await expect(reader?.read()).rejects.toThrow('terminated');
  expect(logged.at(-1)).toContain('Stream failed: Error: after');
});

test('the connection is closed at the integration timeout', async () => {
  const { reader } = await firstChunk(await post('/impatient'));
  await expect(reader?.read()).rejects.toThrow('terminated');
});

test('a client that disconnects ends the stream of the handler without an error', async () => {
  const lines = logged.length;
  const client = new AbortController();
  const said = nextSaid();
  await firstChunk(await post('/stream', {}, client.signal));
  client.abort();
  expect(await said).toBe('cut');
  goOn();
  expect((await post('/middy')).status).toBe(200);
  expect(logged.length).toBe(lines);
});

test('a streaming function that is invoked directly returns its whole stream as text', async () => {
  const text = await host.invoke('Middy', {});
  expect(text).toBe(
    `{"statusCode":200,"headers":{"content-type":"application/json"}}${'\0'.repeat(8)}  {"beats":2}`,
  );
});
