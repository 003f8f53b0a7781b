import { describe, expect, test } from 'vitest';
import { a2aRegistryAccess, requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';

const organization = { orgid: 'org_a', visibility: 'organization' } as const;
const open = { orgid: 'org_a', visibility: 'public' } as const;
const own = { orgid: 'org_a' };
const foreign = { orgid: 'org_b' };

test.each([
  [open, own, true],
  [open, foreign, true],
  [organization, own, true],
  [organization, foreign, false],
  [organization, { orgid: '' }, false],
  [organization, { orgid: 'ORG_A' }, false],
])('%j for %j: %s', (row, caller, isAdmitted) => {
  expect(a2aRegistryAccess(row, caller)).toBe(isAdmitted);
});

describe('the access check', () => {
  test('returns the row to callers with access', () => {
    expect(requireRegistryAccess(organization, own)).toBe(organization);
    expect(requireRegistryAccess(open, foreign)).toBe(open);
    expect(requireRegistryAccess(open, undefined)).toBe(open);
  });

  test('refuses a missing agent and one of another organisation alike', () => {
    const refusals = [
      () => requireRegistryAccess(undefined, own),
      () => requireRegistryAccess(undefined, undefined),
      () => requireRegistryAccess(organization, foreign),
      () => requireRegistryAccess(organization, undefined),
    ].map((attempt) => {
      try {
        return attempt();
      } catch (error) {
        return error;
      }
    });
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: 'unauthenticated', detail: undefined, errors: undefined });
  });
});
