import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { alarmSums } from '#lib/infra/alarms.ts';

const period = Duration.minutes(5);
const metrics = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => new Metric({ namespace: 'Test', metricName: `Metric${n}`, period }),
  );

it('a single metric is used without a sum', () => {
  const [only] = metrics(1);
  expect(alarmSums(metrics(1), period)).toEqual([only]);
});

it.each([
  [2, 1],
  [10, 1],
  [11, 2],
  [25, 3],
])('each of %i metrics is in one of %i sums of at most ten', (count, sums) => {
  const made = alarmSums(metrics(count), period).filter((each) => each instanceof MathExpression);
  expect(made).toHaveLength(sums);
  for (const { expression, usingMetrics } of made) {
    const names = Object.keys(usingMetrics);
    expect(names.length).toBeLessThanOrEqual(10);
    expect(expression).toBe(names.map((name) => `FILL(${name}, 0)`).join(' + '));
  }
  const summed = made.flatMap(({ usingMetrics }) => Object.values(usingMetrics).map(String));
  expect(summed).toEqual(metrics(count).map(String));
});
