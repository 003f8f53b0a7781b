import { afterEach, expect, test, vi } from 'vitest';
import { optionalEnv, requireEnv } from '#lib/env.ts';

afterEach(() => void vi.unstubAllEnvs());

test('a variable that is missing or empty is named', () => {
  vi.stubEnv('CONTROL_TABLE', undefined);
  expect(() => requireEnv('CONTROL_TABLE')).toThrow('CONTROL_TABLE');
  vi.stubEnv('CONTROL_TABLE', '');
  expect(() => requireEnv('CONTROL_TABLE')).toThrow('CONTROL_TABLE');
  expect(optionalEnv('CONTROL_TABLE')).toBeUndefined();
});

test('variables are read when they are used, not when the module is loaded', () => {
  vi.stubEnv('CONTROL_TABLE', 'One');
  expect([requireEnv('CONTROL_TABLE'), optionalEnv('CONTROL_TABLE')]).toEqual(['One', 'One']);
  vi.stubEnv('CONTROL_TABLE', 'Two');
  expect(requireEnv('CONTROL_TABLE')).toBe('Two');
});
