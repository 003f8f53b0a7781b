// One project per kind of test, so that each can be run alone: `npx vitest run --project unit`.
import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], test: object = {}) => ({
  test: { name, include, ...test },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/architecture.test.ts']),
      project('api', ['test/api/**/*.test.ts'], { globalSetup: 'test/support/service.ts', testTimeout: 20_000 }),
      project('infra', ['test/infra/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('protocol', ['test/protocol/**/*.test.ts'], {
        globalSetup: 'test/support/service.ts',
        testTimeout: 20_000,
      }),
    ],
  },
});
