// The documents name files, sections and npm scripts that exist. What they say about flows and the API is
// tested beside the code.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const root = new URL('../../', import.meta.url).pathname;
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort();
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const exists = (pattern: string): boolean => globSync(pattern, { cwd: root }).length > 0;

test('there are documents', () => expect(pages).toContain('docs/architecture.md'));

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('has no link to a missing file or section', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const own = links.filter((target) => !/^[a-z]+:/.test(target));
    expect(own.filter((target) => !isThere(page, target))).toEqual([]);
  });

  test('names no missing file', () => {
    const paths = [...text.matchAll(/`((?:lib|functions|events|test|bin|tenants|docs)\/[\w./*-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  test('names no missing npm script', () => {
    const names = [...text.matchAll(/\bnpm run (\w[\w:-]*)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });
});

test.each(['@modelcontextprotocol/client', '@modelcontextprotocol/inspector', 'mcp-remote'] as const)(
  'docs/connect.md names the version of %s that is tested',
  (name) => {
    const versions = { ...packageJson.dependencies, ...packageJson.devDependencies };
    expect(read('docs/connect.md')).toContain(`| \`${name}\` ${versions[name]}`);
  },
);

test('decision records have a number of their own, in their names and titles', () => {
  const records = pages.filter((page) => /decisions\/\d/.test(page));
  const inNames = records.map((page) => Number(posix.basename(page).slice(0, 4)));
  expect(new Set(inNames).size).toBe(records.length);
  expect(records.map((page) => Number(/^# (\d+)\. /.exec(read(page))?.[1]))).toEqual(inNames);
});

function isThere(page: string, target: string): boolean {
  const [file = '', section] = target.split('#');
  const path = file ? posix.join(posix.dirname(page), decodeURI(file)) : page;
  return exists(path) && (!section || !path.endsWith('.md') || findAnchors(read(path)).has(section));
}

/** As GitHub derives them from headings: lower case, no punctuation, hyphens for spaces. */
function findAnchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
