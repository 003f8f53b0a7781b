// The tests in a real browser, which `npm test` leaves out: `npm run test:browser` and `npm run test:console`.
import { defineConfig } from 'vitest/config';

// As in vitest.config.ts: Node.js loads the modules, and processes find what an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= new URL('node_modules/.cache/compiled', import.meta.url).pathname;

export default defineConfig({
  test: {
    name: 'browser',
    include: ['test/{browser,console}/**/*.test.ts'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/service.ts', 'test/support/browser-server.ts'],
    setupFiles: ['test/support/own-environment.ts', 'test/support/printed-records.ts'],
    env: { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
    // They wait for the browser and for the service more than they work.
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    silent: 'passed-only',
  },
});
