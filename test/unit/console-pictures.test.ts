// The pictures of the console: those in the folder, those that `npm run pictures` takes, and those that the documents
// show are the same.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { consolePictures } from '#test/pictures/table.ts';

const root = new URL('../../', import.meta.url).pathname;
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const taken = consolePictures.map(({ file }) => `${file}.png`).sort();

test('each file of the folder is taken by a journey', () => {
  expect(globSync('*', { cwd: `${root}/docs/pictures/console` }).sort()).toEqual(taken);
});

test('each picture is shown in one place, with a text that says what is seen', () => {
  const pages = globSync(['*.md', 'docs/*.md'], { cwd: root }).map(read);
  const shown = pages.flatMap((text) => [
    ...text.matchAll(/!\[([^\]]*)\]\([^)]*pictures\/console\/([^)]+)\)/g),
  ]);
  expect(shown.map(([, , file]) => file).sort()).toEqual(taken);
  for (const [, text = ''] of shown) expect(text.split(' ').length, text).toBeGreaterThan(5);
});

test.each(consolePictures)('$file is a screenshot of its journey', ({ journey, screenshot }) => {
  const text = read(`test/console/${journey}.test.ts`);
  const name = screenshot.replace(/(-1280)?-(light|dark)$/, '');
  expect([`'${name.replace('console-', '')}'`, `${name}-$`].some((each) => text.includes(each))).toBe(true);
});
