// Warnings about expressions: each trap, what the warning says of it, and what looks like a trap and is none.
import { describe, expect, test } from 'vitest';
import { findDoubts } from '#test/support/flow-doubts.ts';
import { type Doubt, members, traps } from './doubtful-flows.ts';
import { conditions, losses, objects, secrets } from './doubtful-nodes.ts';
import { mistakes } from './faulty-flows.ts';
import { sure } from './sure-flows.ts';

function expectDoubt([, flow, place, detail]: Doubt): void {
  expect(mistakes(flow)).toEqual([]);
  const found = findDoubts(flow);
  expect(found.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([place]);
  expect(found[0]?.detail).toContain(detail);
}

describe('the check warns of', () => {
  test.each(members)('%s', (...doubt) => expectDoubt(doubt));
  test.each(traps)('%s', (...doubt) => expectDoubt(doubt));
  test.each(objects)('an object in text: %s', (...doubt) => expectDoubt(doubt));
  test.each(losses)('a lost assignment: %s', (...doubt) => expectDoubt(doubt));
  test.each(secrets)('a literal secret: %s', (...doubt) => expectDoubt(doubt));
  test.each(conditions)('a condition that is no boolean: %s', (...doubt) => expectDoubt(doubt));
});

describe('the check does not warn of', () => {
  test.each(sure)('%s', (_what, flow) => {
    expect(mistakes(flow)).toEqual([]);
    expect(findDoubts(flow)).toEqual([]);
  });
});
