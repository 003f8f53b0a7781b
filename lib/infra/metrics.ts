// The metrics that alarms and the dashboard read.
import { type IMetric, MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { surfaces } from '#lib/http/surface.ts';
import type { MetricName } from '#lib/metrics.ts';
import type { UsedTable } from './tables.ts';
import type { Tenant } from './tenant.ts';

export const period = Duration.minutes(5);

type Surface = (typeof surfaces)[keyof typeof surfaces];

const namespace = 'AgentFlow';
const dimensionsOf = ({ id }: Tenant) => ({ service: 'agent-flow', tenant: id });

/** A metric that functions write themselves (`lib/metrics.ts`). */
export const ownMetric = (
  metricName: Exclude<MetricName, 'Duration'>,
  tenant: Tenant,
  { dimensionsMap, ...options }: MetricOptions = {},
): IMetric =>
  new Metric({
    namespace,
    metricName,
    dimensionsMap: { ...dimensionsOf(tenant), ...dimensionsMap },
    statistic: 'Sum',
    period,
    ...options,
  });

/** The time that successful requests of a surface took. */
export const answerTime = (tenant: Tenant, surface: Surface, statistic: string): IMetric =>
  new Metric({
    namespace,
    metricName: 'Duration' satisfies MetricName,
    dimensionsMap: { ...dimensionsOf(tenant), surface, status_class: '2xx' },
    statistic,
    period,
    label: `${surface} ${statistic}`,
  });

/**
 * The number of requests of a surface, of one class of status or of all. It searches, because a sum of metrics has no
 * values while one of them was never written. Alarms cannot search.
 */
export const requestsOf = (tenant: Tenant, surface: Surface, statusClass?: '4xx' | '5xx'): IMetric => {
  const wanted = { ...dimensionsOf(tenant), surface, ...(statusClass && { status_class: statusClass }) };
  const terms = Object.entries(wanted).map(([name, value]) => `${name}="${value}"`);
  const schema = `{${namespace},service,tenant,surface,status_class} MetricName="Duration"`;
  return new MathExpression({
    expression: `SUM(SEARCH('${schema} ${terms.join(' ')}', 'SampleCount', ${period.toSeconds()}))`,
    usingMetrics: {},
    label: surface,
    period,
  });
};

/** The age of the oldest message in seconds. */
export const oldest = (queue: Queue): IMetric =>
  queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum' });

/** Of all functions of the account in the region, which share its concurrency. */
export const functionThrottles = (): IMetric =>
  new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period });

export const concurrentExecutions = (): IMetric =>
  new Metric({ namespace: 'AWS/Lambda', metricName: 'ConcurrentExecutions', statistic: 'Maximum', period });

export const tableThrottles = (table: UsedTable): IMetric[] =>
  ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
    table.metric(name, { period, statistic: 'Sum' }),
  );
