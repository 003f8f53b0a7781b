// Binds servers to loopback: the HTTP listener of the local gateway, the engines in this process, and a free
// port for the engines that are separate programs.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server as NetServer } from 'node:net';
import { onOwnNames } from './own-names.ts';

const host = '127.0.0.1';
const portMax = 65_535;

/**
 * Parses the environment variable PORT. 0 means any free port; unset or empty means 3000. Only digits are
 * accepted: `Number` would take `0x10`, `1e3` and a space.
 */
export function parsePort(given: string | undefined): number {
  const text = given || '3000';
  if (/^\d{1,5}$/.test(text) && Number(text) <= portMax) return Number(text);
  throw new Error(`PORT must be a number from 0 (any free port) to ${portMax}, not "${text}".`);
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface HttpListener {
  /** Such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** Begins to serve requests to the names of this machine, first those that arrived earlier. */
  readonly open: (answer: Answer) => void;
  readonly close: () => Promise<void>;
}

/**
 * Starts to listen before the functions are loaded, which need the address in their environment. Requests
 * that arrive before `open` wait, for a second at most, so that callers need not handle this case.
 */
export async function startHttpListener(port: number, ...others: readonly number[]): Promise<HttpListener> {
  // Longer than clients keep idle connections: closing one while a client reuses it would fail the request.
  const server = createServer({ keepAliveTimeout: 75_000 });
  const { promise: opened, resolve: open } = Promise.withResolvers<Answer>();
  server.on('request', (request, response) => {
    void opened.then((answer) => {
      // Clients that have disconnected are not served, so that repeated attempts are served once.
      if (!response.destroyed) onOwnNames(answer)(request, response);
    });
  });
  return { baseUrl: await listen(server, port, ...others), open, close: () => closeListener(server) };
}

/**
 * Listens on the first port that is free; 0 means any. Resolves to the address, such as
 * `http://127.0.0.1:3000`.
 */
export async function listen(server: Server, port: number, ...others: readonly number[]): Promise<string> {
  const [next, ...rest] = others;
  if (next === undefined) return `http://${host}:${await bind(server, port)}`;
  return await listen(server, port).catch(() => listen(server, next, ...rest));
}

export async function freePort(): Promise<number> {
  const probe = createNetServer();
  const port = await bind(probe, 0);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function bind(server: NetServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, port)));
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function explain(error: Error, port: number): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new Error(
      `Port ${port} is in use: stop the other program, or choose another port with PORT (0 = any).`,
      {
        cause: error,
      },
    );
  if (code === 'EACCES')
    return new Error(`This user may not open port ${port}: choose one above 1023 with PORT.`);
  return error;
}

/** How long responses that are almost complete may take. */
const lastResponsesMs = 1_000;

/** Stops accepting, and lets the callers of interrupted runs have their responses. It may be called again. */
async function closeListener(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), lastResponsesMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}

/** Stops accepting and closes open connections, since a long poll must not delay the end. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
