import { afterEach, expect, test, vi } from 'vitest';
import { withLazyCollector } from '#lib/infra/bundle-collector.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const read = () => [process.env.GOGC, process.env.GOMEMLIMIT];

test('the settings for esbuild are set during the build alone, and values from outside are kept', async () => {
  vi.stubEnv('GOGC', '50');
  vi.stubEnv('GOMEMLIMIT', undefined);
  expect(await withLazyCollector(async () => read())).toEqual(['50', '700MiB']);
  expect(read()).toEqual(['50', undefined]);
});

test('the environment is as before after a build that failed', async () => {
  vi.stubEnv('GOGC', undefined);
  vi.stubEnv('GOMEMLIMIT', undefined);
  await expect(withLazyCollector(() => Promise.reject(new Error(read().join())))).rejects.toThrow(
    '400,700MiB',
  );
  expect(read()).toEqual([undefined, undefined]);
});
