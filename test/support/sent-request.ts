// A request to a server of a test, as handlers of the MCP SDK want it.
import type { IncomingMessage } from 'node:http';

/** A server's requests have both; only the types do not say so. */
export const asSent = (request: IncomingMessage) =>
  Object.assign(request, { method: request.method ?? 'GET', url: request.url ?? '/' });
