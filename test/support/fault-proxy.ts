// Stands between this process and one AWS engine, and lets single calls fail as AWS lets them fail.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { closeServer, listen } from '#lib/local/listen.ts';

/**
 * `lost`: the call has its effect, and its answer does not come. An object is the body of an error answer
 * with status 400.
 */
type Fault = 'pass' | 'lost' | 'hang' | { readonly __type: string; readonly [member: string]: unknown };

export interface FaultProxy {
  readonly url: string;
  /** Asked for each call with its operation, such as `Decrypt`; lets all pass by default. */
  plan: (operation: string) => Fault;
  readonly close: () => Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const server = createServer((request, response) => void pass(request, response));
  const proxy: FaultProxy = {
    url: await listen(server, 0),
    plan: () => 'pass',
    close: () => closeServer(server),
  };
  return proxy;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const fault = proxy.plan(operation);
    if (fault === 'hang') return;
    if (typeof fault === 'object') {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(fault));
      return;
    }
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
    const answer = await fetch(target, { method: 'POST', body, headers: headers as Record<string, string> });
    const answered = Buffer.from(await answer.arrayBuffer());
    if (fault === 'lost') return void response.destroy();
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      .end(answered);
  }
}
