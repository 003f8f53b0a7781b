// The six walks in docs/architecture.md are lists of files; each file must import those that are indented
// below it, directly.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resolveImport } from '#test/support/architecture.ts';
import { listImports } from '#test/support/source-text.ts';

interface Step {
  readonly file: string;
  readonly depth: number;
}

const page = readFileSync('docs/architecture.md', 'utf8');
const section = /\n## Six ways through\n(.*?)\n## /s.exec(page)?.[1] ?? '';
const walks = section
  .split('\n### ')
  .slice(1)
  .map((text): [name: string, steps: Step[]] => [text.split('\n')[0] ?? '', stepsIn(text)]);

function stepsIn(text: string): Step[] {
  return [...text.matchAll(/^( *)- `([^`]+)`/gm)].map(([, indent = '', file = '']) => ({
    file,
    depth: indent.length / 2,
  }));
}

const importedBy = (file: string): readonly string[] =>
  listImports(readFileSync(file, 'utf8')).map((specifier) => resolveImport(file, specifier));

test('there are six walks', () => {
  expect(walks.map(([name]) => name)).toEqual([
    'A queue message',
    'A synchronous run',
    'Accepting a webhook event',
    'Receiving an event of a source',
    'A2A SendMessage',
    'One execution of a node',
  ]);
});

describe.each(walks)('%s', (name, steps) => {
  test('begins with one Lambda function, or with the engine and a node type, and takes 20 files at most', () => {
    const roots = steps.filter(({ depth }) => depth === 0).map(({ file }) => file.split('/')[0]);
    expect(roots).toEqual(name === 'One execution of a node' ? ['lib', 'lib'] : ['functions']);
    expect(new Set(steps.map(({ file }) => file)).size).toBeLessThanOrEqual(20);
  });

  test.each(steps.map(({ file }, at) => [file, at] as const))(
    '%s is imported by the file above it',
    (file, at) => {
      expect(existsSync(file)).toBe(true);
      const { depth = 0 } = steps[at] ?? {};
      const parent = steps.slice(0, at).findLast((each) => each.depth === depth - 1);
      if (depth > 0) expect(importedBy(parent?.file ?? '')).toContain(file);
    },
  );
});
