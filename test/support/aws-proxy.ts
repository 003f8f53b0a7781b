// A small proxy in front of one local AWS endpoint: counts the calls that pass, and can answer in the
// engine's place or lose its answers, for what the engines never do by themselves.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { closeServer, listen } from '#lib/local/listen.ts';

export type Verdict =
  | 'pass'
  /** The engine does it, but the answer never arrives. */
  | 'lose answer'
  /** The connection breaks before the engine sees anything. */
  | 'reset'
  /** An error of the AWS JSON protocol, in the engine's place. */
  | { readonly status: number; readonly error: object }
  /** The engine sees it late, or sees something else. */
  | { readonly afterMs?: number; readonly instead?: Buffer };

export interface AwsProxy {
  readonly url: string;
  /** Operations that were asked for, such as `GetItem`, in order. */
  readonly calls: string[];
  readonly close: () => Promise<void>;
}

export async function startAwsProxy(
  upstream: string,
  judge: (operation: string, body: Buffer) => Verdict | Promise<Verdict> = () => 'pass',
): Promise<AwsProxy> {
  const calls: string[] = [];
  const isFirst = firstAttempts();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    if (isFirst(request)) calls.push(operation);
    // An engine may close a kept connection just as it is used again.
    const broken = () => request.socket.destroy();
    await obey(await judge(operation, body), { upstream, request, response, body }).catch(broken);
  });
  const url = await listen(server, 0);
  return { url, calls, close: () => closeServer(server) };
}

/**
 * Whether a request is the first of its call that has arrived: the SDK sends the same id with all attempts of a call. The
 * number of the attempt does not tell, since the first one may not arrive, such as on a connection that was just closed.
 */
function firstAttempts(): (request: Pick<IncomingMessage, 'headers'>) => boolean {
  const seen = new Set<string>();
  return ({ headers }) => {
    const id = headers['amz-sdk-invocation-id'];
    if (id === undefined) return true;
    const isFirst = !seen.has(String(id));
    seen.add(String(id));
    return isFirst;
  };
}

interface Exchange {
  readonly upstream: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
}

async function obey(verdict: Verdict, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (verdict === 'reset') return void request.socket.destroy();
  if (typeof verdict === 'object' && 'error' in verdict) {
    response.writeHead(verdict.status, { 'content-type': 'application/x-amz-json-1.0' });
    return void response.end(JSON.stringify(verdict.error));
  }
  const { afterMs = 0, instead = exchange.body } = typeof verdict === 'object' ? verdict : {};
  if (afterMs > 0) await setTimeout(afterMs);
  const answer = await forward({ ...exchange, body: instead });
  if (verdict === 'lose answer') return void request.socket.destroy();
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

/** As the engine answers it, without what holds for one connection only. */
export async function forward({ upstream, request, body }: Omit<Exchange, 'response'>) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (!hopByHop.has(name)) headers.set(name, String(value));
  }
  const response = await fetch(upstream + (request.url ?? '/'), { method: 'POST', headers, body });
  const kept = [...response.headers].filter(([name]) => !hopByHop.has(name));
  return {
    status: response.status,
    headers: Object.fromEntries(kept),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const hopByHop = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'expect',
]);
