// Metrics of many things as the few that alarms look at: the sum of each ten, because CloudWatch takes no more of them in the expression of an
// alarm, and no SEARCH there that would find them by itself.
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Duration } from 'aws-cdk-lib/core';

const metricsMax = 10;

export function alarmSums(metrics: readonly IMetric[], period: Duration): IMetric[] {
  if (metrics.length <= 1) return [...metrics];
  const count = Math.ceil(metrics.length / metricsMax);
  return Array.from({ length: count }, (_, n) =>
    sum(metrics.slice(n * metricsMax, (n + 1) * metricsMax), period),
  );
}

function sum(metrics: readonly IMetric[], period: Duration): MathExpression {
  const named = metrics.map((metric, index) => [`m${index}`, metric] as const);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period,
  });
}
