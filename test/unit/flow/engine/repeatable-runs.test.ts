// The same answers in the same order give the same log, snapshots, replies and outcome. What a process loads
// and compiles with its first run of a flow makes no difference: that run is like every other.
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { printedBy } from '#test/support/printed-by.ts';
import { hash, structuredFlow } from './structured.ts';

/** The engine, and all around it, as a process has them that has run nothing yet. */
async function freshEngine() {
  vi.resetModules();
  const [{ observeRun }, { scriptWith }] = await Promise.all([
    import('../driven.ts'),
    import('./structured.ts'),
  ]);
  return { observeRun, script: scriptWith((key) => hash(key) % 13) };
}

test('random flows run in an engine that has run nothing before as they do ever after', async () => {
  let entries = 0;
  await fc.assert(
    fc.asyncProperty(structuredFlow, async (flow) => {
      const { observeRun, script } = await freshEngine();
      const first = await observeRun(flow, script);
      entries += first.invocations.flatMap((seen) => seen.entries).filter(({ scope }) => scope).length;
      expect(await observeRun(flow, script)).toEqual(first);
      expect(await observeRun(flow, script)).toEqual(first);
    }),
    { numRuns: 60 },
  );
  // The property means little unless things run beside each other.
  expect(entries).toBeGreaterThan(300);
});

test('the first run of a process is like its second, with every kind of node beside the others', async () => {
  const runs = await printedBy(new URL('twice-process.ts', import.meta.url));
  const [first, second] = Array.isArray(runs) ? runs : [];
  expect(first).toMatchObject({ outcome: { status: 'completed' } });
  expect(second).toEqual(first);
});
