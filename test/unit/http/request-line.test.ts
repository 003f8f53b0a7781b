// What a function prints of a request: one line, which is the metric and the log of it in one.
import { afterEach, expect, test, vi } from 'vitest';
import { eventFor } from '#test/support/events.ts';
import { context, load } from '#test/support/invocation.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a request prints one log line, with its metrics and the fields for searches', async () => {
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'agent-flow');
  vi.stubEnv('TENANT_ID', 'acme');
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  const { handler } = await load(() => import('#functions/meta/health.ts'));

  await Reflect.apply(handler, undefined, [eventFor('getHealth', { key: '' }), context]);

  expect(printed.map((line) => JSON.parse(line))).toEqual([
    {
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'AgentFlow',
            Dimensions: [['service', 'tenant', 'route', 'status']],
            Metrics: [{ Name: 'Requests', Unit: 'Count' }],
          },
        ],
      },
      Requests: 1,
      service: 'agent-flow',
      tenant: 'acme',
      route: 'meta/health',
      status: '200',
      message: 'request',
      request_id: expect.stringMatching(/./),
      duration_ms: expect.stringMatching(/^\d+$/),
    },
  ]);
});
