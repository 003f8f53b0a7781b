// Adds a key to the requests of the suite, which has no option for credentials. All else is passed on as it came, also
// names of other hosts; the port of the proxy becomes that of the service.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { closeServer, listen } from '#lib/local/listen.ts';

export async function startProxy(baseUrl: string, key: string) {
  const target = new URL(baseUrl);
  const server = createServer((incoming, response) => forward(incoming, response, target, key));
  const url = await listen(server, 0);
  return { url, close: async () => await closeServer(server) };
}

function forward(incoming: IncomingMessage, response: ServerResponse, target: URL, key: string): void {
  const own = `:${incoming.socket.localPort}`;
  const rename = (text: string) => text.replace(own, `:${target.port}`);
  const { host = '', origin, ...headers } = incoming.headers;
  const { method, url: path } = incoming;
  const sent = {
    ...headers,
    host: rename(host),
    ...(origin && { origin: rename(origin) }),
    'x-api-key': key,
  };
  const outgoing = request({ hostname: target.hostname, port: target.port, method, path, headers: sent });
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    pipeline(answer, response, () => {});
  });
  outgoing.once('error', () => response.destroy());
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
