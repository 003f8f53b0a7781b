import { expect, test } from 'vitest';
import { inlineLimits } from '#lib/flow/expression/compute.ts';
import { createAllowances, inlineMsMax } from '#lib/run/compute/allowances.ts';

function allowances() {
  let now = 0;
  const allowance = createAllowances(() => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { allowance, pass };
}

test('cheap evaluations always stay on the shared thread', () => {
  const { allowance, pass } = allowances();
  for (let n = 0; n < 100_000; n += 1) {
    allowance('org')?.spend(0.04);
    pass(1);
  }
  expect(allowance('org')?.cpuMs).toBe(inlineLimits.cpuMs);
});

test('an organisation has no allowance after its evaluations have used it, and regains some later', () => {
  const { allowance, pass } = allowances();
  let count = 0;
  for (let given = allowance('evil'); given; given = allowance('evil')) {
    given.spend(inlineLimits.cpuMs * 0.99);
    count += 1;
  }
  expect(count).toBeLessThanOrEqual(inlineMsMax / inlineLimits.cpuMs + 1);
  expect(allowance('good')).toBeDefined();
  pass(1_000);
  expect(allowance('evil')).toBeDefined();
});

test('an organisation uses a twentieth of the thread in the long run', () => {
  const { allowance, pass } = allowances();
  let spent = 0;
  for (let n = 0; n < 100_000; n += 1) {
    const given = allowance('evil');
    given?.spend(inlineLimits.cpuMs);
    spent += given ? inlineLimits.cpuMs : 0;
    pass(1);
  }
  expect(spent).toBeLessThanOrEqual(100_000 / 20 + inlineMsMax + inlineLimits.cpuMs);
});

test('idle organisations use no memory, and lose no allowance', () => {
  const { allowance, pass } = allowances();
  allowance('owing')?.spend(10 * inlineMsMax);
  for (let n = 0; n < 5_000; n += 1) {
    allowance(`org ${n}`)?.spend(1);
    pass(1);
  }
  expect(allowance('owing')).toBeUndefined();
});
