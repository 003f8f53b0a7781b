// Real HTTP servers on loopback for the tests of this folder, and fetches that may reach them.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createGuardedFetch, type GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { Resolve } from '#lib/egress/public-address.ts';

export interface Loopback extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** `127.0.0.1:port`, as an egress list or EGRESS_ALLOW_PRIVATE names it. */
  readonly host: string;
  /** What has arrived so far. */
  readonly requests: IncomingMessage[];
  readonly fetch: GuardedFetch;
}

export async function loopback(listener: RequestListener): Promise<Loopback> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const host = `127.0.0.1:${address.port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://${host}`,
    host,
    requests,
    fetch: createGuardedFetch({ allowPrivate: [host] }, noNames),
    [Symbol.asyncDispose]: close,
  };
}

/** Answers no name, so that no test can reach a real resolver. */
export const noNames: Resolve = (hostname, _options, callback) =>
  callback(Object.assign(new Error(`No address for "${hostname}".`), { code: 'ENOTFOUND' }), []);

/** Every name is this machine. */
export const toLoopback: Resolve = (_hostname, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

/** The body of a request as text. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
