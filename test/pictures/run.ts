// `npm run pictures` takes the pictures of the console in the documents again, in the journeys of its tests.
// `npm run pictures -- home usage` takes these alone.
import { spawnSync } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '#lib/infra/bundle-folder.ts';
import { runMain } from '#test/support/run-main.ts';
import { type ConsolePicture, consolePictures } from './table.ts';

const screenshotOf = ({ screenshot }: ConsolePicture) => join(root, '.screenshots', `${screenshot}.png`);

await runMain(main);

async function main(): Promise<void> {
  const pictures = choosePictures(process.argv.slice(2));
  // One of an earlier version does not pass for a new one.
  for (const each of pictures) await rm(screenshotOf(each), { force: true });
  goThrough(new Set(pictures.map(({ journey }) => `test/console/${journey}.test.ts`)));
  for (const each of pictures)
    await copyFile(screenshotOf(each), join(root, 'docs/pictures/console', `${each.file}.png`));
  console.log(`docs/pictures/console: ${pictures.length} pictures were taken.`);
}

function choosePictures(names: readonly string[]): readonly ConsolePicture[] {
  const unknown = names.filter((name) => !consolePictures.some(({ file }) => file === name));
  if (unknown.length > 0) throw new Error(`test/pictures/table.ts has no picture ${unknown.join(', ')}.`);
  return consolePictures.filter(({ file }) => names.length === 0 || names.includes(file));
}

function goThrough(journeys: ReadonlySet<string>): void {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.browser.config.ts', ...journeys],
    { cwd: root, env: { ...process.env, SCREENSHOTS: 'yes' }, stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('A journey has failed, so no picture was replaced.');
}
