// Where requests come in. The address is needed to know what the functions see, so it listens before there is anybody to answer.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from './listen.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Door {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** From now on requests are answered, those first that came before. */
  readonly open: (answer: Answer) => void;
  readonly close: () => Promise<void>;
}

/** Requests that come before it is open wait: that is a second at most, and a caller needs no other case for it. */
export async function listenAtDoor(port: number, ...others: readonly number[]): Promise<Door> {
  // Longer than clients keep a connection: one that is closed as they use it again fails their request.
  const server = createServer({ keepAliveTimeout: 75_000 });
  const { promise: opened, resolve: open } = Promise.withResolvers<Answer>();
  server.on('request', (request, response) => {
    void opened.then((answer) => {
      // Who has left is not served: a caller who asks again and again meanwhile counts once.
      if (!response.destroyed) answer(request, response);
    });
  });
  return { baseUrl: await listen(server, port, ...others), open, close: () => closeServer(server) };
}
