// A program that npm runs ends with the shell between the two, which is all that a signal to npm reaches.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const program = `
  import { onParentEnd } from '#lib/local/parent.ts';
  const open = setInterval(() => {}, 60_000);
  onParentEnd(() => { console.log('ended'); clearInterval(open); });
  console.log('running');
`;

test.skipIf(process.platform === 'win32')('a program notices that its shell has ended', async () => {
  // With a second command, the shell does not become the program.
  const shell = spawn('sh', ['-c', `"$0" --input-type=module --eval "$1"; true`, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'running' });
  const ended = once(shell, 'exit');
  shell.kill('SIGTERM');
  await ended;
  expect(await lines.next()).toMatchObject({ value: 'ended' });
  expect(await lines.next()).toMatchObject({ done: true });
});
