// Servers on loopback between the functions and providers of models, for what the functions cannot do locally: sign
// requests to Bedrock with the credentials of the developer (theirs are those of the engines), and ask Anthropic for JSON.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { createSigner } from '#lib/aws-signer.ts';
import type { AwsAccess } from './aws-access.ts';
import { closeServer, listen } from './listen.ts';

export interface Relay {
  readonly url: string;
  readonly close: () => Promise<void>;
}

interface Relayed {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/**
 * Signs again what the functions have signed, for the same region. Only who knows the address can use the credentials:
 * its path is random, so other programs and web pages cannot guess it. `upstream` replaces the endpoint of AWS.
 */
export const startBedrockRelay = (access: AwsAccess, upstream: string | undefined): Promise<Relay> =>
  startRelay(`/${randomBytes(24).toString('base64url')}`, async ({ headers, path, body }) => {
    const region = /Credential=[^/]+\/\d+\/([a-z0-9-]+)\/bedrock\//.exec(headers.authorization ?? '')?.[1];
    const { hostname, host, protocol, port, origin } = new URL(
      upstream ?? `https://bedrock-runtime.${region ?? access.region}.amazonaws.com`,
    );
    const credential = await access.readCredential();
    const plain = { accept: headers.accept ?? '*/*', 'content-type': headers['content-type'] ?? '' };
    const url = new URL(path, origin);
    if ('bearer' in credential) {
      return { url, headers: { ...plain, authorization: `Bearer ${credential.bearer.reveal()}` }, body };
    }
    const keys = { ...credential, secretAccessKey: credential.secretAccessKey.reveal() };
    const signer = createSigner(keys, { region: region ?? access.region, service: 'bedrock' });
    const signed = await signer.sign({
      method: 'POST',
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: url.pathname,
      headers: { ...plain, host },
      body,
    });
    const { host: _host, ...rest } = signed.headers;
    return { url, headers: rest, body };
  });

/**
 * The endpoint of Anthropic with the API of OpenAI ignores `response_format`, so the schema is also written into the
 * request as an instruction. The service checks the answer against the schema in any case.
 */
export const startAnthropicRelay = (upstream: string): Promise<Relay> =>
  startRelay('/v1', async ({ headers, path, body }) => ({
    url: new URL(`${upstream}${path}`),
    headers: {
      accept: headers.accept ?? '*/*',
      authorization: headers.authorization ?? '',
      'content-type': 'application/json',
    },
    body: withInstruction(body),
  }));

const jsonRequest = z.looseObject({
  messages: z.array(z.looseObject({})),
  response_format: z.object({ json_schema: z.object({ schema: z.json() }) }),
});

function withInstruction(body: Buffer): Buffer {
  const request = jsonRequest.safeParse(JSON.parse(body.toString()));
  if (!request.success) return body;
  const { response_format, messages, ...rest } = request.data;
  const schema = JSON.stringify(response_format.json_schema.schema);
  const content = `Answer with one JSON value that matches this JSON Schema, and with nothing else: ${schema}`;
  return Buffer.from(JSON.stringify({ ...rest, messages: [{ role: 'system', content }, ...messages] }));
}

interface Received {
  readonly headers: IncomingMessage['headers'];
  /** Below that of the relay. */
  readonly path: string;
  readonly body: Buffer;
}

async function startRelay(path: string, prepare: (received: Received) => Promise<Relayed>): Promise<Relay> {
  const server = createServer((request, response) => {
    relay(request, response, { path, prepare }).catch(() => {
      // The error may contain the request, with its credentials.
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
  });
  const origin = await listen(server, 0);
  return { url: `${origin}${path}`, close: () => closeServer(server) };
}

async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  { path, prepare }: { path: string; prepare: (received: Received) => Promise<Relayed> },
): Promise<void> {
  const asked = request.url ?? '';
  if (request.method !== 'POST' || !asked.startsWith(`${path}/`)) {
    response.writeHead(404).end();
    return;
  }
  const left = new AbortController();
  response.once('close', () => left.abort());
  const received = { headers: request.headers, path: asked.slice(path.length), body: await buffer(request) };
  const { url, headers, body } = await prepare(received);
  const init = {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
    redirect: 'error',
    signal: left.signal,
  } as const;
  const answer = await fetch(url, init);
  const type = answer.headers.get('content-type') ?? 'application/octet-stream';
  const retryAfter = answer.headers.get('retry-after');
  response.writeHead(answer.status, {
    'content-type': type,
    ...(retryAfter && { 'retry-after': retryAfter }),
  });
  if (answer.body) await pipeline(Readable.from(answer.body), response);
  else response.end();
}
