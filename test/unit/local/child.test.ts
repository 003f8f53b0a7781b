// Engines are children that cannot outlive the process that started them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { startChild } from '#lib/local/child.ts';

/**
 * A program that stays connected to a socket for as long as it lives, which tells more surely than its
 * process id.
 */
const program = (port: number) => [
  '-e',
  `require('node:net').connect(${port}, '127.0.0.1'); process.on('SIGINT', () => {}); setInterval(() => {}, 1000)`,
];

const server = createServer().listen(0, '127.0.0.1');
afterEach(() => void server.removeAllListeners('connection'));

async function connectedChild(start: (port: number) => void): Promise<Socket> {
  if (!server.listening) await once(server, 'listening');
  const connected = once(server, 'connection');
  const address = server.address();
  start(typeof address === 'object' && address ? address.port : 0);
  const [socket]: Socket[] = await connected;
  if (!socket) throw new Error('no connection');
  socket.on('error', () => {}).resume();
  return socket;
}

test('a stopped child has exited when stop resolves', async () => {
  let stop = async () => {};
  const socket = await connectedChild((port) => {
    stop = startChild(process.execPath, program(port)).stop;
  });
  const gone = once(socket, 'close');
  await stop();
  await gone;
});

test('a child exits with its parent, even if that is killed with SIGKILL', async () => {
  const module = fileURLToPath(new URL('../../../lib/local/child.ts', import.meta.url));
  let parent: ReturnType<typeof spawn> | undefined;
  const socket = await connectedChild((port) => {
    const code = `import { startChild } from ${JSON.stringify(module)}; startChild(process.execPath, ${JSON.stringify(program(port))}); setInterval(() => {}, 1000);`;
    parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
  });
  const gone = once(socket, 'close');
  parent?.kill('SIGKILL');
  await gone;
  server.close();
});

test('a program that cannot start or fails reports the error', async () => {
  expect(await startChild('/no/such/program', []).ended).toContain('/no/such/program');
  const failing = startChild(process.execPath, ['-e', 'console.error("wrong port"); process.exit(3)']);
  expect(await failing.ended).toContain('wrong port');
});
