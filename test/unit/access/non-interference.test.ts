// What one organisation keeps to itself makes no difference to another: a property of the access rule over
// any set of rows.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { a2aRegistryAccess, requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import { seed } from '#test/support/seed.ts';

const holds = { seed, numRuns: 500 };

/**
 * Few and odd, so that they meet: equal but for case, prefixes of each other, empty, names of Object's own
 * members.
 */
const org = fc.constantFrom('', 'org', 'ORG', 'org_a', 'org_a ', 'org_ab', '__proto__', 'constructor', '*');
const visibility = fc.constantFrom('public' as const, 'organization' as const);
const row = fc.record({ id: fc.nat(20), orgid: org, visibility });
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;
const rows = fc.array(row, { maxLength: 12 });

const outcome = (ask: () => unknown): unknown => {
  try {
    return ask();
  } catch (error) {
    return { ...(error instanceof Error && { name: error.name, message: error.message }), error };
  }
};

test(`an organisation sees the same set whether or not others have rows of their own (SEED=${seed})`, () => {
  const visible = (all: readonly Row[], orgid: string) =>
    all.filter((each) => a2aRegistryAccess(each, { orgid }));
  fc.assert(
    fc.property(rows, rows, org, (shared, more, orgid) => {
      const secret = more.filter((each) => each.visibility === 'organization' && each.orgid !== orgid);
      expect(visible([...shared, ...secret], orgid)).toEqual(visible(shared, orgid));
    }),
    holds,
  );
});

test(`an access check treats a private row of others like a missing one (SEED=${seed})`, () => {
  const caller = fc.option(fc.record({ orgid: org }), { nil: undefined });
  fc.assert(
    fc.property(row, caller, (each, who) => {
      fc.pre(each.visibility === 'organization' && each.orgid !== who?.orgid);
      expect(outcome(() => requireRegistryAccess(each, who))).toEqual(
        outcome(() => requireRegistryAccess(undefined, who)),
      );
    }),
    holds,
  );
});

test(`a row is visible to its own organisation, and to every caller if it is public (SEED=${seed})`, () => {
  fc.assert(
    fc.property(row, org, (each, orgid) => {
      expect(a2aRegistryAccess(each, { orgid: each.orgid })).toBe(true);
      expect(a2aRegistryAccess({ ...each, visibility: 'public' }, { orgid })).toBe(true);
    }),
    holds,
  );
});
