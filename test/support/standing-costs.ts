// What a tenant costs in a month beside its requests, for docs/costs.md: counted in its template.
import { tenantTemplate } from '#lib/infra/synth.ts';
import type { Template } from '#lib/infra/template.ts';
import { metricSeries } from './metric-series.ts';
import { logGigabyte, perMonth } from './prices.ts';

type Row = readonly [what: string, count: number, price: number];

/** About what API Gateway, a function and Lambda itself print of a request, with 26 bytes that CloudWatch counts for each line. */
const logBytesPerRequest = 1_600;

const model = { provider: 'bedrock', model: 'eu.amazon.nova-lite-v1:0' } as const;

const demo = { id: 'demo', models: { default: model }, modelDefault: 'default' } as const;

export function standingCosts(): string {
  const rows = billed(tenantTemplate(demo));
  const cells = rows.map(([what, count, price]) => [
    what,
    `${count}`,
    dollars(price),
    dollars(count * price),
  ]);
  const total = dollars(rows.reduce((sum, [, count, price]) => sum + count * price, 0));
  const settings = [head, ...cells, ['together, at most', '', '', total], gradualUpdates(rows)];
  return [intro, table(settings), remarks].join('\n');
}

/** What `"gradualUpdates": true` adds: aliases, versions and deployments of CodeDeploy cost nothing for functions. */
function gradualUpdates(before: readonly Row[]): string[] {
  const added = billed(tenantTemplate({ ...demo, gradualUpdates: true })).flatMap(([what, count, price]) => {
    const more = count - (before.find((row) => row[0] === what)?.[1] ?? 0);
    return more === 0 ? [] : [{ what, more, price }];
  });
  const [only, ...others] = added;
  if (!only || others.length > 0) throw new Error(`Gradual updates add ${JSON.stringify(added)}.`);
  const { what, more, price } = only;
  return [`with \`gradualUpdates\`, more ${what}`, `${more}`, dollars(price), dollars(more * price)];
}

function billed(template: Template): Row[] {
  const count = (type: string) => listOf(template, type).length;
  const watched = listOf(template, 'AWS::CloudWatch::Alarm').flatMap(countMetrics);
  return [
    ['keys of KMS', count('AWS::KMS::Key'), perMonth.kmsKey],
    ['metrics that alarms watch', watched.reduce((sum, each) => sum + each, 0), perMonth.alarmMetric],
    ['composite alarms', count('AWS::CloudWatch::CompositeAlarm'), perMonth.compositeAlarm],
    ['dashboards', count('AWS::CloudWatch::Dashboard'), perMonth.dashboard],
    [
      'series of metrics',
      Object.values(metricSeries).reduce((sum, each) => sum + each, 0),
      perMonth.metricSeries,
    ],
  ];
}

const listOf = ({ Resources }: Template, type: string) =>
  Object.values(Resources).filter(({ Type }) => Type === type);

/** The expression itself is not billed. */
function countMetrics({ Properties }: Template['Resources'][string]): number {
  const metrics: unknown = Properties?.Metrics;
  return Array.isArray(metrics) ? metrics.filter((metric) => 'MetricStat' in Object(metric)).length : 1;
}

const dollars = (amount: number): string => amount.toFixed(2);

const head = ['', 'number', '$ each', '$ a month'];

const table = (rows: readonly (readonly string[])[]): string =>
  [rows[0], ['---', '---:', '---:', '---:'], ...rows.slice(1)]
    .map((row) => `| ${row?.join(' | ')} |`)
    .join('\n');

const named = Object.entries(metricSeries)
  .map(([name, count]) => `${name} ${count}`)
  .join(', ');

const logDollars = (logBytesPerRequest / 1_000) * logGigabyte.ingested;

const intro = `
## What a tenant costs in a month

This is for a tenant with the default settings. The rest of what costs without traffic, calls to empty queues and a function a minute, is in [operations.md](operations.md#costs).
`;

const remarks = `
- **Series of metrics** are the possible ones (${named}). CloudWatch bills a series by the hour in which it is written, so a tenant without traffic has none, and one whose callers only trigger flows has a few.
- **Gradual updates** add an alias, a version at each deployment and a deployment of CodeDeploy to five functions, which cost nothing; no concurrency is provisioned. The code of a version counts towards the 75 GB of Lambda in a region. During an update, both versions run, each for its share of the requests.
- **Dashboards**: three in an account are free. \`"dashboard": false\` in the tenant file creates none.
- **Logs**: a request prints about ${logBytesPerRequest / 1_000} KB in all, which is $${logDollars.toFixed(2)} for a million requests, and $${logGigabyte.stored} a month for each GB that is kept, for \`logRetentionDays\`. Each answer of a model with a price adds a line, and so does the end of a run.
- **Not included**: models, tables, files, backups, traces, and the secrets of Secrets Manager ($${dollars(perMonth.secret)} each).
`;
