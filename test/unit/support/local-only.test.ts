import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiTests, whyLocal } from '#test/support/local-only.ts';

test.each([
  ['a2a/card-live', undefined],
  ['registry/promote-live', undefined],
  ['workspace/create', 'looks into the tables and the queues'],
  ['a2a/follow-up', 'moves the clock and the queues of the service'],
  ['run/http-answers', 'has a server on this machine that the service calls'],
  ['a2a/cross-origin', 'expects the settings of the service of this machine'],
])('%s: %s', (name, why) => {
  expect(whyLocal(`test/api/${name}.test.ts`)).toBe(why);
});

test('each reason is that of a test, and a quarter of the files needs none', () => {
  const files = globSync(apiTests);
  const reasons = new Set(files.map(whyLocal));
  expect(reasons.size).toBeGreaterThan(8);
  expect(files.filter((file) => whyLocal(file) === undefined).length).toBeGreaterThan(files.length / 5);
});
