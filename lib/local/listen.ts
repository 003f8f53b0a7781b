// Binding servers to loopback, and finding a free port for engines that are separate programs.
import type { Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';

const host = '127.0.0.1';

/** Takes the first port that can be had; 0 means any free one. Resolves to the address, such as `http://127.0.0.1:3000`. */
export async function listen(server: Server, port: number, ...others: readonly number[]): Promise<string> {
  const [next, ...rest] = others;
  if (next === undefined) return `http://${host}:${await bind(server, port)}`;
  return await listen(server, port).catch(() => listen(server, next, ...rest));
}

export async function freePort(): Promise<number> {
  const probe = createServer();
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
    return new Error(`Port ${port} may not be opened by this user: choose one above 1023 with PORT.`);
  return error;
}

/** Stops accepting and drops open connections: a long poll must not hold up the end. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
