// Faster than the test of the whole page, which measures requests.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { followerCosts } from '#test/support/follower-costs.ts';
import { standingCosts } from '#test/support/standing-costs.ts';

it('docs/costs.md counts what a tenant costs in a month (`npm run costs` writes it)', () => {
  const page = readFileSync(new URL('../../docs/costs.md', import.meta.url), 'utf8');
  expect(page.endsWith(standingCosts())).toBe(true);
});

it('docs/costs.md has what followers of a run cost (`npm run costs` writes it)', () => {
  const page = readFileSync(new URL('../../docs/costs.md', import.meta.url), 'utf8');
  expect(page).toContain(followerCosts());
});
