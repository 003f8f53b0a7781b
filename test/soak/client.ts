// Requests over connections that are kept, and that can all be closed to see what the service holds without
// them.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ClientRequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClientResponse {
  readonly status: number;
  readonly text: string;
}

export interface Client {
  readonly ask: (path: string, asked?: ClientRequestOptions) => Promise<ClientResponse>;
  /** So far. */
  readonly count: () => number;
  readonly closeConnections: () => void;
}

/** Long enough for a machine that is busy. */
const timeoutMs = 60_000;

export function newClient(baseUrl: string, key: string): Client {
  let agent = new Agent({ keepAlive: true });
  let count = 0;
  const ask = async (path: string, { method = 'GET', body, headers = {} }: ClientRequestOptions = {}) => {
    count += 1;
    const sent = request(baseUrl + path, {
      method,
      agent,
      timeout: timeoutMs,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.once('timeout', () =>
      sent.destroy(new Error(`${path} did not answer within ${timeoutMs / 1_000} s.`)),
    );
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const response = await responseTo(sent);
    return { status: response.statusCode ?? 0, text: await text(response) };
  };
  return {
    ask,
    count: () => count,
    closeConnections: () => {
      agent.destroy();
      agent = new Agent({ keepAlive: true });
    },
  };
}

const responseTo = (sent: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
