import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchFiles } from '#lib/cli/watch-files.ts';

test('acts at once, again for what is saved meanwhile, and ends with Ctrl-C', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const folder = await mkdtemp(join(tmpdir(), 'agent-flow-watch-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'flow.yaml');
  await writeFile(file, 'one');
  let times = 0;
  const ctrlC = { press: (): void => undefined };
  vi.spyOn(process, 'once').mockImplementation((name, listener) => {
    if (name === 'SIGINT') ctrlC.press = () => listener();
    return process;
  });
  const { promise: again, resolve } = Promise.withResolvers<void>();
  const ended = watchFiles(
    [file],
    async () => {
      times += 1;
      if (times === 1) await writeFile(file, 'two');
      else resolve();
    },
    false,
  );
  await again;
  ctrlC.press();
  await ended;
  expect(times).toBeGreaterThanOrEqual(2);
});
