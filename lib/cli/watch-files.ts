// Acts now, and whenever a file in the folders of some paths is saved, until Ctrl-C.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { printFailure } from './command-failure.ts';
import { note } from './print.ts';
import { findFile } from './read-agent.ts';

/** An editor saves in several steps. */
const settleMs = 100;

/** Folders are watched rather than files, because editors replace a file when they save it. */
export async function watchFiles(
  paths: readonly string[],
  act: () => Promise<unknown>,
  asJson: boolean,
): Promise<void> {
  const folders = new Set(paths.map((path) => dirname(findFile(path))));
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const run = async () => {
    try {
      await act();
    } catch (error) {
      printFailure(error, asJson);
    }
  };
  const saved = (_event: string, name: string | null) => {
    if (name !== null && !/\.(json|jsonc|ya?ml|m?[jt]s)$/.test(basename(name))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(run);
    }, settleMs);
  };
  // Before the first time, so that nothing which is saved meanwhile is missed.
  const watchers: FSWatcher[] = [...folders].map((folder) => watch(folder, saved));
  running = run();
  await running;
  note(`Watching ${[...folders].join(', ')}. Ctrl-C ends it.`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await running;
}
