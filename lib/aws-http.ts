// Sends the requests of AWS clients whose requests and answers are short texts without a query, and not streams. The SDK's
// own handler sets four timers for each request and reads the answer through a stream into another one; without that, a
// call of DynamoDB takes a tenth less CPU time (docs/decisions/0093-cheaper-calls.md).
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { HttpHandler } from '@smithy/core/protocols';
import { lazy } from './lazy.ts';

/** Further requests to a host wait. */
export const connectionsMax = 100;
/** All clients of the SDK share the connections to a host, so that a cold start makes one TLS handshake for each service. */
const pool = { keepAlive: true, maxSockets: connectionsMax } as const;
const insecureAgent = lazy(() => new HttpAgent(pool));
const agent = lazy(() => new HttpsAgent(pool));

type AwsRequest = Parameters<HttpHandler['handle']>[0];
type Answered = Awaited<ReturnType<HttpHandler['handle']>>;

/**
 * The `requestHandler` of a client. It gives a request up with a `TimeoutError` after that time, from the search for a
 * connection to the last byte of the answer.
 */
export const awsHttp = (timeoutMs: number): HttpHandler => ({
  metadata: { handlerProtocol: 'http/1.1' },
  handle: async (request, { abortSignal } = {}) => await send(request, timeoutMs, abortSignal),
  // The SDK asks for both. There is nothing to set.
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
});

async function send(
  { protocol, hostname, port, method, path, headers, body }: AwsRequest,
  timeoutMs: number,
  abortSignal: unknown,
): Promise<Answered> {
  // There is an older form of it, which nobody here uses.
  const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
  if (signal?.aborted) throw aborted();
  const options = { host: withoutBrackets(hostname), port, method, path, headers };
  const isSecure = protocol === 'https:';
  return await new Promise((resolve, reject) => {
    const sent = isSecure
      ? httpsRequest({ ...options, agent: agent() })
      : httpRequest({ ...options, agent: insecureAgent() });
    // A request that waits for a connection has no event when it is destroyed.
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      sent.destroy();
    };
    const timer = setTimeout(() => fail(timeout(timeoutMs)), timeoutMs);
    const abort = () => fail(aborted());
    signal?.addEventListener('abort', abort, { once: true });
    sent.on('close', () => signal?.removeEventListener('abort', abort));
    sent.on('error', fail);
    sent.on('response', (message) => {
      const chunks: Uint8Array[] = [];
      message.on('data', (chunk) => chunks.push(chunk));
      message.on('error', fail);
      message.on('end', () => {
        clearTimeout(timer);
        resolve({ response: toResponse(message, chunks) });
      });
    });
    sent.end(body);
  });
}

/** An IPv6 address has them in a URL. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** With the name and the code by which the SDK and `isTransientFailure` know it. */
const timeout = (ms: number): Error =>
  Object.assign(new Error(`AWS did not answer within ${ms} ms.`), {
    name: 'TimeoutError',
    code: 'ETIMEDOUT',
  });

/** With the name by which the SDK knows that it must not try again. */
const aborted = (): Error => Object.assign(new Error('The request was aborted.'), { name: 'AbortError' });

function toResponse(message: IncomingMessage, chunks: readonly Uint8Array[]): Answered['response'] {
  const [only = Buffer.alloc(0)] = chunks;
  return {
    statusCode: message.statusCode ?? 0,
    headers: message.headers as Record<string, string>,
    body: chunks.length > 1 ? Buffer.concat(chunks) : only,
  };
}
