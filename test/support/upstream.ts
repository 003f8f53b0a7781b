// The outside world of a flow in a test: a server on loopback that counts its calls, and that answers when
// the test says so.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface Upstream {
  /**
   * `/count/{name}` answers at once, `/slow/{name}` after 20 ms, `/gate/{name}` not before `open(name)`, and
   * `/busy/{name}` with 503 twice.
   */
  readonly url: string;
  /** For `egress` of a flow. */
  readonly host: string;
  readonly calls: (name: string) => number;
  /** The first call has come. */
  readonly arrived: (name: string) => Promise<void>;
  /** A caller left before it was answered. */
  readonly abandoned: (name: string) => Promise<void>;
  readonly open: (name: string) => void;
  readonly close: () => Promise<void>;
}

interface PathState {
  calls: number;
  readonly arrived: PromiseWithResolvers<void>;
  readonly abandoned: PromiseWithResolvers<void>;
  readonly opened: PromiseWithResolvers<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const places = new Map<string, PathState>();
  const place = (name: string): PathState => {
    const known = places.get(name) ?? newPlace();
    places.set(name, known);
    return known;
  };
  const server = createServer((request, response) => void answer(request, response, place));
  const url = await listen(server, 0);
  return {
    url,
    host: new URL(url).host,
    calls: (name) => place(name).calls,
    arrived: (name) => place(name).arrived.promise,
    abandoned: (name) => place(name).abandoned.promise,
    open: (name) => place(name).opened.resolve(),
    close: async () => {
      for (const { opened } of places.values()) opened.resolve();
      await closeServer(server);
    },
  };
}

const newPlace = (): PathState => ({
  calls: 0,
  arrived: Promise.withResolvers(),
  abandoned: Promise.withResolvers(),
  opened: Promise.withResolvers(),
});

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  place: (name: string) => PathState,
): Promise<void> {
  const [, kind, name = ''] = (request.url ?? '').split('/');
  const { arrived, abandoned, opened } = place(name);
  place(name).calls += 1;
  arrived.resolve();
  request.resume();
  response.once('close', () => response.writableFinished || abandoned.resolve());
  if (kind === 'gate') await opened.promise;
  if (kind === 'slow') await setTimeout(20);
  response.writeHead(kind === 'busy' && place(name).calls <= 2 ? 503 : 200, {
    'content-type': 'application/json',
  });
  response.end(JSON.stringify({ name, calls: place(name).calls }));
}
