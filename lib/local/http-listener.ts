// The HTTP listener of the local gateway. Functions need its address in their environment, so it listens
// before they are loaded.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from './listen.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface HttpListener {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Begins to serve requests, first those that arrived earlier. */
  readonly open: (answer: Answer) => void;
  readonly close: () => Promise<void>;
}

/** Requests that arrive before `open` wait, a second at most, so that callers need not handle this case. */
export async function startHttpListener(port: number, ...others: readonly number[]): Promise<HttpListener> {
  // Longer than clients keep idle connections: closing one while a client reuses it would fail the request.
  const server = createServer({ keepAliveTimeout: 75_000 });
  const { promise: opened, resolve: open } = Promise.withResolvers<Answer>();
  server.on('request', (request, response) => {
    void opened.then((answer) => {
      // Clients that have disconnected are not served, so that repeated attempts are served once.
      if (!response.destroyed) answer(request, response);
    });
  });
  return { baseUrl: await listen(server, port, ...others), open, close: () => closeServer(server) };
}
