// One project per kind of test, so that each can be run alone: `npx vitest run --project unit`. `npm test` runs those that
// take little time; `isolated`, `programs` and `fuzz` have scripts of their own.
import { configDefaults, defineConfig } from 'vitest/config';

// Every process that the tests start finds what an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= new URL('node_modules/.cache/compiled', import.meta.url).pathname;

/** Tests bound work, not time: this ends a test that hangs, and is far away even on a machine that has other things to do. */
const hangs = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

/** Node.js loads the modules itself and keeps what it has compiled; `vi.mock` and `vi.resetModules` have no effect then. */
const nativeModules = { viteModuleRunner: false, nodeLoader: false };

/** Files share the modules that they load, which saves a third of the time, unless they say otherwise. */
const project = (name: string, include: string[], test: object = {}) => ({
  test: {
    name,
    include,
    isolate: false,
    setupFiles: ['test/support/own-environment.ts'],
    experimental: nativeModules,
    ...hangs,
    ...test,
  },
});

const apiTests = (...names: string[]) => names.map((name) => `test/api/${name}.test.ts`);

/** Tests that change proxies, queues, clocks or limits of functions in their process, and so need modules of their own. */
export const isolated = apiTests(
  'a2a/card-memory',
  'a2a/sign-card',
  'a2a/subscribers',
  'audit/outage',
  'api-key/failures',
  'member/user-pool',
  'session/cognito',
  'session/expiry',
  'session/https',
  'session/other-providers',
  'oauth/limits',
  'oauth/stage',
  'rate-limit',
  'audit/record',
  'usage/counted-once',
  'webhook-secret/takes-effect',
  'aws-calls',
  'bin/export',
  'bin/export-while-written',
  'bin/restore',
  'bin/verify',
  'budget/outage',
  'drills',
  'scale',
  'a2a/push-crash',
  'a2a/push-killed-host',
  'a2a/rest-limits',
  'a2a/push-order',
  'connection/refresh',
  'every-route-outage',
  'every-write-conflict',
  'isolation',
  'file/answers',
  'file/http-nodes',
  'file/model-input',
  'file/outage',
  'file/quota',
  'member/failures',
  'member/removed-access',
  'discovery/search-cost',
  'migration/addresses',
  'migration/migrate',
  'migration/search-index',
  'verify/verify',
  'meta/moved-service',
  'registry/failures',
  'registry/list-cost',
  'registry/list-index',
  'registry/list-pages',
  'registry/single-live',
  'run/accepted-events',
  'run/any-order',
  'callback/crash',
  'console/get-file',
  'connector/resumed-meanwhile',
  'connector/search-tools',
  'run/clock-jump',
  'run/counted-ends',
  'run/defect',
  'callback/deliver',
  'run/follow',
  'run/followers-leave',
  'run/item-size',
  'run/model-key',
  'dead-letter/keep',
  'run/killed-host-permits',
  'run/killed-worker',
  'run/permits-in-any-order',
  'run/put-off',
  'run/revoked-while-streaming',
  'run/concurrency-permits',
  'trigger/start',
  'short-pages',
  'trigger/disconnect',
  'trigger/receive-sns',
  'trigger/respond-permits',
  'trigger/fire-due',
  'trigger/outage',
  'trigger/failures',
);

/** Unit tests that load modules again, which only Vitest's own loader can. */
export const reloading = [
  'data-key-cache',
  'dynamo/cursor',
  'flow/definition/stored-flow',
  'flow/engine/repeatable-runs',
  'http/request-line',
  'schemas-at-import',
].map((name) => `test/unit/${name}.test.ts`);

/** They start the programs that people start, or hosts of their own, and kill them. */
const programs = apiTests('a2a/interrupted', 'a2a/remote-task-handover', 'bin/*', 'run/hand-over');

/** With services that are started once, and without the log lines that its functions write in the tests' own processes. */
const overHttp = {
  globalSetup: 'test/support/service.ts',
  setupFiles: ['test/support/own-environment.ts', 'test/support/printed-records.ts'],
  env: { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' },
};
/** Projects that have another number of workers run one after the other. */
const afterApi = { sequence: { groupOrder: 1 } };
const alone = [...isolated, ...programs];
const notDeployed = process.env.BASE_URL
  ? (await import('./test/support/local-only.ts')).listLocalTests()
  : [];
const exclude = [...configDefaults.exclude, ...alone, ...notDeployed];

export default defineConfig({
  test: {
    maxWorkers: 2,
    silent: 'passed-only',
    projects: [
      // They wait for the services more than they work.
      project('api', ['test/api/**/*.test.ts'], { ...overHttp, exclude, maxWorkers: 4 }),
      project('unit', ['test/unit/**/*.test.ts', 'test/architecture.test.ts'], {
        ...afterApi,
        exclude: [...configDefaults.exclude, ...reloading],
      }),
      project('reloading', reloading, { ...afterApi, experimental: {} }),
      // They wait for timeouts more than they work.
      project('isolated', process.env.BASE_URL ? [] : isolated, {
        ...overHttp,
        isolate: true,
        maxWorkers: 3,
        sequence: { groupOrder: 2 },
      }),
      project('programs', process.env.BASE_URL ? [] : programs, {
        ...overHttp,
        ...afterApi,
        exclude: [...configDefaults.exclude, ...isolated],
      }),
      project('infra', ['test/infra/**/*.test.ts'], afterApi),
      project('fuzz', ['test/fuzz/**/*.test.ts'], { ...overHttp, ...afterApi }),
      project('protocol', ['test/protocol/**/*.test.ts'], { ...overHttp, ...afterApi }),
    ],
  },
});
