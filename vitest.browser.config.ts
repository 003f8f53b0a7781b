// The tests in a real browser, which `npm test` leaves out: `npm run test:browser` and `npm run test:console`.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'browser',
    include: ['test/{browser,console}/**/*.test.ts'],
    globalSetup: ['test/support/service.ts', 'test/support/browser-server.ts'],
    setupFiles: ['test/support/own-environment.ts', 'test/support/printed-records.ts'],
    env: { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    // They wait for the browser and for the service more than they work.
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    silent: 'passed-only',
  },
});
