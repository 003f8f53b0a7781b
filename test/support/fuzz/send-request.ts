// Puts a request of the fuzzer on the wire, also such as `fetch` would mend or refuse: doubled headers,
// methods, odd targets.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { hmac } from '#test/support/signing.ts';
import type { FuzzAnswer } from './checks.ts';
import { type Credential, encodeBody, type FuzzRequest, openSignature, writeTarget } from './fuzz-request.ts';

export type Headers = readonly (readonly [string, string])[];

export interface Sender {
  readonly toCredentials: (request: FuzzRequest) => Headers;
  readonly send: (request: FuzzRequest) => Promise<FuzzAnswer | 'no answer'>;
  readonly close: () => void;
}

export interface Keys {
  readonly good: string;
  /** A key of the same organisation without permissions. */
  readonly weak: string;
  readonly foreign: string;
  /** Signs what headers leave open as `<signature>`. */
  readonly signingSecret: string;
}

/** Streams are left after that long; what is wrong with them shows at once. */
const streamMs = 250;
/** Longer than anything takes that does not wait by design, also on a machine that is busy. */
const patienceMs = 45_000;
/** For what waits by design: `?wait=`, and runs that rest. */
const shortPatienceMs = 1_500;

export function newSender(baseUrl: string, keys: Keys): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const toCredentials = (request: FuzzRequest) => credentialHeaders(request, keys);
  return {
    toCredentials,
    send: (request) => exchange(baseUrl, agent, signed(request, keys), toCredentials(request)),
    close: () => agent.destroy(),
  };
}

/** Standard Webhooks: the signature depends on the body as it is sent, so it comes last. */
function signed(request: FuzzRequest, { signingSecret }: Keys): FuzzRequest {
  const of = (wanted: string) => request.headers.find(([name]) => name === wanted)?.[1] ?? '';
  const body = Buffer.from(encodeBody(request.body) ?? []).toString();
  const text = `${of('webhook-id')}.${of('webhook-timestamp')}.${body}`;
  const headers = request.headers.map(([name, value]): [string, string] => [
    name,
    value.replaceAll(openSignature, () => hmac(signingSecret, text)),
  ]);
  return { ...request, headers };
}

function credentialHeaders({ operation, credential }: FuzzRequest, { good, weak, foreign }: Keys): Headers {
  const names = operation.credentials.includes('apiKey') ? 'x-api-key' : 'authorization';
  const one = (key: string): Headers => [[names, names === 'authorization' ? `Bearer ${key}` : key]];
  const forms: Readonly<Record<Credential, Headers>> = {
    good: one(good),
    weak: one(weak),
    foreign: one(foreign),
    forged: one(`${good.slice(0, -4)}AAAA`),
    none: [],
    'two different': [
      ['x-api-key', good],
      ['authorization', `Bearer ${foreign}`],
    ],
    'repeated header': [...one(good), ...one(foreign)],
  };
  return forms[credential];
}

function exchange(
  baseUrl: string,
  agent: Agent,
  sent: FuzzRequest,
  credentials: Headers,
): Promise<FuzzAnswer | 'no answer'> {
  const bytes = encodeBody(sent.body);
  const { hostname, port, host } = new URL(baseUrl);
  const headers: Headers = [
    ['host', host],
    ...sent.headers,
    ...credentials,
    ...(bytes === undefined ? [] : [['content-length', String(bytes.length)] as const]),
  ];
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      hostname,
      port,
      agent,
      method: sent.method,
      path: writeTarget(sent),
      // A flat list is sent as it is.
      headers: headers.flat(),
    });
    const mayWait = sent.query.some(([name]) => name === 'wait') || sent.operation.isJsonRpc;
    const patience = setTimeout(
      () => {
        outgoing.destroy();
        if (mayWait) resolve('no answer');
        else reject(new Error(`No answer to ${sent.method} ${writeTarget(sent)} in ${patienceMs} ms.`));
      },
      mayWait ? shortPatienceMs : patienceMs,
    );
    outgoing.once('error', (error) => {
      clearTimeout(patience);
      reject(error);
    });
    outgoing.once('response', (response) => {
      void read(response).then((answer) => {
        clearTimeout(patience);
        resolve(answer);
      }, reject);
    });
    outgoing.end(bytes);
  });
}

function read(response: IncomingMessage): Promise<FuzzAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<FuzzAnswer>();
  const chunks: Buffer[] = [];
  const isStream = (response.headers['content-type'] ?? '').startsWith('text/event-stream');
  const answer = (isPartial: boolean): FuzzAnswer => ({
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
    text: Buffer.concat(chunks).toString(),
    isPartial,
  });
  const timer = isStream
    ? setTimeout(() => {
        resolve(answer(true));
        response.destroy();
      }, streamMs)
    : undefined;
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.once('end', () => {
    clearTimeout(timer);
    resolve(answer(false));
  });
  response.once('error', reject);
  return promise;
}
