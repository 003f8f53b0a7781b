// Flows with child scopes: from whatever snapshot they resume, in however many processes, they end as if they
// had not been interrupted.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Driven, driven, timeless } from '../driven.ts';
import { hash, scriptWith, structuredFlow } from './structured.ts';

const atOnce = scriptWith(() => 0);
const staggered = scriptWith((key) => hash(key) % 13);
const reversed = scriptWith((key) => 13 - (hash(key) % 13));

/** All of them or, of a long run, so many from all its parts; each with the time at which it was taken. */
function collectSnapshots({ invocations }: Driven) {
  const all = invocations.flatMap(({ snapshots, clock }) =>
    snapshots.map((snapshot) => ({ snapshot, now: clock.now() })),
  );
  const step = Math.ceil(all.length / 20);
  return all.filter((_, index) => index % step === 0);
}

test('from every snapshot the run ends as it would have', async () => {
  const seen = new Set<string>();
  let snapshots = 0;
  await fc.assert(
    fc.asyncProperty(structuredFlow, async (flow) => {
      const whole = await driven(flow, staggered);
      seen.add(whole.outcome.status);
      for (const taken of collectSnapshots(whole)) {
        snapshots++;
        const resumed = await driven(flow, staggered, taken);
        expect(timeless(resumed.outcome)).toEqual(timeless(whole.outcome));
      }
    }),
    { numRuns: 150 },
  );
  // The property means little if all runs end alike, or at once.
  expect([...seen].sort()).toEqual(['completed', 'failed']);
  expect(snapshots).toBeGreaterThan(100);
});

test('handing itself on at every boundary changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(structuredFlow, async (flow) => {
      const whole = await driven(flow, staggered);
      const pieces = await driven(flow, staggered, { isHasty: true });
      expect(timeless(pieces.outcome)).toEqual(timeless(whole.outcome));
    }),
    { numRuns: 80 },
  );
});

test('the outcome does not depend on which port answers first', async () => {
  await fc.assert(
    fc.asyncProperty(structuredFlow, async (flow) => {
      const { outcome } = await driven(flow, staggered);
      for (const script of [reversed, atOnce])
        expect(timeless((await driven(flow, script)).outcome)).toEqual(timeless(outcome));
    }),
    { numRuns: 80 },
  );
});

test('the outcome does not depend on whether waits are slept through or paused', async () => {
  await fc.assert(
    fc.asyncProperty(structuredFlow, async (flow) => {
      const { outcome } = await driven(flow, staggered);
      const patient = await driven(flow, staggered, { isPatient: true });
      expect(timeless(patient.outcome)).toEqual(timeless(outcome));
    }),
    { numRuns: 80 },
  );
});
