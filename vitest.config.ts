// One project per kind of test, so that each can be run alone: `npx vitest run --project unit`.
import { configDefaults, defineConfig } from 'vitest/config';

const project = (name: string, include: string[], test: object = {}) => ({
  test: { name, include, ...test },
});

/** They put themselves between functions and engines, which cannot be done with a deployed stack (BASE_URL). */
const localOnly = [
  'a2a/streamed-text',
  'aws-calls',
  'connection/in-runs',
  'connection/refresh',
  'connection/wake',
  'every-route-outage',
  'isolation',
  'access/audit-outage',
  'access/failures',
  'access/list-audit',
  'access/record-audit',
  'access/rate-limit',
  'access/offline-key',
  'bin/*',
  'registry/failures',
  'registry/single-live',
  'registry/idempotency',
  'registry/list-cost',
  'registry/list-index',
  'registry/list-pages',
  'run/*',
  'sample-flows',
  'short-pages',
  'trigger/fire-due',
  'trigger-definition/failures',
].map((name) => `test/api/${name}.test.ts`);

/** With the service started once, and without the log lines that its functions write in the tests' own processes. */
const overHttp = {
  globalSetup: 'test/support/service.ts',
  setupFiles: 'test/support/printed-records.ts',
  testTimeout: 20_000,
  exclude: [...configDefaults.exclude, ...(process.env.BASE_URL ? localOnly : [])],
  env: { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    silent: 'passed-only',
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/architecture.test.ts']),
      project('api', ['test/api/**/*.test.ts'], overHttp),
      project('infra', ['test/infra/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('protocol', ['test/protocol/**/*.test.ts'], overHttp),
    ],
  },
});
