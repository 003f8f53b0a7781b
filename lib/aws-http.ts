// Sends the requests of AWS clients whose requests and answers are short texts without a query, and not streams. The SDK's
// own handler sets four timers for each request and reads the answer through a stream into another one; without that, a
// call of DynamoDB takes a tenth less CPU time (docs/decisions/0093-http-of-aws-clients.md).
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { lazy } from './lazy.ts';

/** All clients share the connections to a host, so that a cold start makes one TLS handshake for each service. */
const pool = { keepAlive: true, maxSockets: 100 } as const;
const insecureAgent = lazy(() => new HttpAgent(pool));
const agent = lazy(() => new HttpsAgent(pool));

/** What the SDK has made of a command. */
interface AwsRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface AwsResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

interface HandlerOptions {
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * The `requestHandler` of a client. It gives a request up with a `TimeoutError` after that time, from the search for a
 * connection to the last byte of the answer.
 */
export const awsHttp = (timeoutMs: number) => ({
  metadata: { handlerProtocol: 'http/1.1' },
  handle: async (request: AwsRequest, { abortSignal }: HandlerOptions = {}) => ({
    response: await send(request, timeoutMs, abortSignal),
  }),
  // The SDK asks for both. There is nothing to set.
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
});

async function send(
  { protocol, hostname, port, method, path, headers, body }: AwsRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<AwsResponse> {
  const options = { host: withoutBrackets(hostname), port, method, path, headers, signal };
  const isSecure = protocol === 'https:';
  return await new Promise((resolve, reject) => {
    const sent = isSecure
      ? httpsRequest({ ...options, agent: agent() })
      : httpRequest({ ...options, agent: insecureAgent() });
    const timer = setTimeout(() => sent.destroy(timeout(timeoutMs)), timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    sent.on('error', fail);
    sent.on('response', (message) => {
      const chunks: Uint8Array[] = [];
      message.on('data', (chunk) => chunks.push(chunk));
      message.on('error', fail);
      message.on('end', () => {
        clearTimeout(timer);
        resolve(toResponse(message, chunks));
      });
    });
    sent.end(body);
  });
}

/** Of an IPv6 address, as in a URL. */
const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** With the name and the code by which the SDK and `isTransientFailure` know it. */
const timeout = (ms: number): Error =>
  Object.assign(new Error(`AWS did not answer within ${ms} ms.`), {
    name: 'TimeoutError',
    code: 'ETIMEDOUT',
  });

function toResponse(message: IncomingMessage, chunks: readonly Uint8Array[]): AwsResponse {
  const [only = Buffer.alloc(0)] = chunks;
  return {
    statusCode: message.statusCode ?? 0,
    headers: message.headers as Record<string, string>,
    body: chunks.length > 1 ? Buffer.concat(chunks) : only,
  };
}
