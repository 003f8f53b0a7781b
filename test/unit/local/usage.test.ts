// The variables in the help of `npm start`, and those in its guide.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { usage, variables } from '#lib/local/usage.ts';

const guide = readFileSync(new URL('../../../docs/local.md', import.meta.url), 'utf8');

test('the help of npm start has the variables of its guide', () => {
  const table = guide.slice(guide.indexOf('## Variables'), guide.indexOf('## The home folder'));
  const documented = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  expect(Object.keys(variables).toSorted()).toEqual(documented.toSorted());
  for (const name of documented) expect(usage).toContain(`  ${name} `);
});
