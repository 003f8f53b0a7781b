// How the proxy in front of an engine counts calls of the AWS SDK.
import { createServer, type Server } from 'node:http';
import { connect, createServer as createNetServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';

let engine: Server;
let proxy: AwsProxy;
let verdicts: Verdict[];
beforeEach(async () => {
  engine = createServer(async (request, response) => {
    await buffer(request);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{"KeyId":"k"}');
  });
  verdicts = [];
  proxy = await startAwsProxy(await listen(engine, 0), () => verdicts.shift() ?? 'pass');
});
afterEach(async () => {
  await proxy.close();
  await closeServer(engine);
});

async function sign(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  const client = new KMSClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 3 });
  const Message = new Uint8Array(1);
  await client.send(new SignCommand({ KeyId: 'k', Message, SigningAlgorithm: 'ECDSA_SHA_256' }));
  client.destroy();
}

test('each call is counted once', async () => {
  await sign(proxy.url);
  await sign(proxy.url);
  expect(proxy.calls).toEqual(['Sign', 'Sign']);
});

test('a call whose answer was lost is counted once, although the SDK sends it again', async () => {
  verdicts = ['lose answer', 'pass', 'reset', 'pass'];
  await sign(proxy.url);
  await sign(proxy.url);
  expect(proxy.calls).toEqual(['Sign', 'Sign']);
});

test('a call is counted of which only the second attempt arrives', async () => {
  // The first connection ends before its request has arrived, as one does that the proxy closes while it is idle.
  let connections = 0;
  const relay = createNetServer((client) => {
    connections += 1;
    if (connections === 1) return void client.once('data', () => client.destroy());
    const upstream = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    client.pipe(upstream).pipe(client);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>((listening) => relay.listen(0, '127.0.0.1', listening));
  const address = relay.address();
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.');
  await sign(`http://127.0.0.1:${address.port}`);
  await new Promise((closed) => relay.close(closed));
  expect(connections).toBe(2);
  expect(proxy.calls).toEqual(['Sign']);
});
