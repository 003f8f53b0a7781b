// What a function prints of a request: one line, which is the metric and the log of it in one.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { errorTable } from '#lib/errors.ts';
import { routeList } from '#lib/routes/routes.ts';
import { eventFor } from '#test/support/events.ts';
import { context, load } from '#test/support/invocation.ts';
import { metricSeries } from '#test/support/metric-series.ts';

beforeEach(() => {
  // What prints metrics reads the environment once.
  vi.resetModules();
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'agent-flow');
  vi.stubEnv('TENANT_ID', 'acme');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
});

test('a request prints one log line, with its metrics and the fields for searches', async () => {
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
            Dimensions: [['service', 'tenant', 'surface', 'status_class']],
            Metrics: [{ Name: 'Duration', Unit: 'Milliseconds' }],
          },
        ],
      },
      Duration: expect.any(Number),
      service: 'agent-flow',
      tenant: 'acme',
      surface: 'public',
      status_class: '2xx',
      route: 'meta/health',
      status: '200',
      message: 'request',
      request_id: expect.stringMatching(/./),
    },
  ]);
});

const metricLine = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.tuple([
      z.object({
        Dimensions: z.tuple([z.array(z.string())]),
        Metrics: z.tuple([z.object({ Name: z.string() })]),
      }),
    ]),
  }),
});

/** The name of the metric and the values of its dimensions. */
function readSeries(text: string): string {
  const line = metricLine.parse(JSON.parse(text));
  const [{ Dimensions, Metrics }] = line._aws.CloudWatchMetrics;
  return [Metrics[0].Name, ...Dimensions[0].map((name) => line[name])].join(' ');
}

// CloudWatch bills each combination of values of dimensions.
test('requests of all routes, with all statuses, make the series that docs/costs.md counts', async () => {
  const { reportRequest } = await load(() => import('#lib/http/endpoint-steps.ts'));
  const series = new Set<string>();
  vi.spyOn(process.stdout, 'write').mockImplementation(
    (chunk) => series.add(readSeries(String(chunk))).size > 0,
  );
  const statuses = new Set([
    200,
    201,
    202,
    204,
    302,
    303,
    304,
    ...Object.values(errorTable).map(({ status }) => status),
  ]);
  for (const [, route] of routeList)
    for (const status of statuses)
      reportRequest(route, { requestId: 'r', startedAt: Date.now(), caller: undefined }, status);
  expect(series.size).toBe(metricSeries.Duration);
});
