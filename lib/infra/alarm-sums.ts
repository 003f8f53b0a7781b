// Sums many metrics into the few that alarms use. The expression of a CloudWatch alarm can contain at most
// ten metrics and no SEARCH.
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
