// The service below the path of a stage, as at the address that API Gateway gives it: a proxy takes the stage out of the
// path, and nothing of the service is beside it.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { closeServer, listen } from '#lib/local/listen.ts';
import { type ForkedHost, forkHost } from './forked-host.ts';

export interface Staged {
  /** With the stage, without a slash at the end. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Tests then call this service. */
export async function startStaged(stage: string): Promise<Staged> {
  let host: ForkedHost | undefined;
  const server = createServer((incoming, response) => {
    const { url = '/' } = incoming;
    if (host && url.startsWith(`/${stage}/`))
      return forward(incoming, response, new URL(url.slice(stage.length + 1), host.service.baseUrl));
    // As API Gateway answers for stages that do not exist.
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"Forbidden"}');
  });
  const url = `${await listen(server, 0)}/${stage}`;
  const started = await forkHost({ publicUrl: url });
  host = started;
  Object.assign(process.env, started.service.environment, { OWN_SERVICE_URL: url });
  const close = async () => {
    delete process.env.OWN_SERVICE_URL;
    await Promise.all([closeServer(server), started.stop()]);
  };
  return { url, close };
}

function forward(incoming: IncomingMessage, response: ServerResponse, target: URL): void {
  const { method, headers } = incoming;
  const outgoing = request(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}
