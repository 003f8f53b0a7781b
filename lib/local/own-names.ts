// Refuses requests to other names than those of this machine. A web page whose name its owner points at 127.0.0.1 (DNS
// rebinding) could else read what the service answers, as the developer who is signed in.
import type { IncomingMessage, ServerResponse } from 'node:http';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const names = ['127.0.0.1', 'localhost', '[::1]'];

export const onOwnNames =
  (answer: Answer): Answer =>
  (request, response) => {
    if (isOwnName(request.headers.host, request.socket.localPort)) return answer(request, response);
    request.resume();
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
    return response.end(JSON.stringify({ message: `Forbidden: use ${names.join(', ')} in the address.` }));
  };

/** Clients leave out port 80 (RFC 9110 §7.2). */
export function isOwnName(host: string | undefined, port: number | undefined): boolean {
  const own = names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
  return host !== undefined && own.includes(host.toLowerCase());
}
