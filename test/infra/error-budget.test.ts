// The alarms for the availability of a tenant.
import { describe, expect, it } from 'vitest';
import { at, deployedTemplate, ofType, tenantLike } from './demo-app.ts';

const template = deployedTemplate(tenantLike({ alarmEmail: 'ops@example.com' }));
const windows = Object.fromEntries(
  ofType(template, 'AWS::CloudWatch::Alarm').filter(([id]) => id.startsWith('ErrorBudget')),
);
const composites = ofType(template, 'AWS::CloudWatch::CompositeAlarm');

/** The alarms that all have to be raised. */
const parts = (rule: unknown) =>
  [...JSON.stringify(rule).matchAll(/"Fn::GetAtt":\["(\w+)","Arn"\]/g)].map(([, id = '']) => windows[id]);

const seconds = (alarm: unknown): unknown => at(alarm, 'Period') ?? at(alarm, 'Metrics.1.MetricStat.Period');

describe('the alarms for the availability of a tenant', () => {
  it.each([
    ['ErrorBudgetBurnsFast', 0.0144, [3_600, 300]],
    ['ErrorBudgetBurnsSlowly', 0.006, [21_600, 1_800]],
  ])('%s: the share of failed requests is above %f in both windows', (name, threshold, periods) => {
    const [, composite] = composites.find(([id]) => id.startsWith(name)) ?? [];
    expect(JSON.stringify(composite?.AlarmRule)).toContain(' AND ');
    const both = parts(composite?.AlarmRule);
    expect(both.map(seconds)).toEqual(periods);
    for (const alarm of both)
      expect(alarm).toMatchObject({ Threshold: threshold, TreatMissingData: 'notBreaching' });
  });

  it('need three failures in the long window, so that one of few requests raises nothing', () => {
    const expressions = Object.values(windows).flatMap((alarm) => at(alarm, 'Metrics.0.Expression') ?? []);
    expect(expressions).toEqual(['IF(failed >= 3, share, 0)', 'IF(failed >= 3, share, 0)']);
  });

  it('follow the objective of the tenant file', () => {
    const strict = deployedTemplate(tenantLike({ availabilityTarget: 99.99 }));
    const thresholds = ofType(strict, 'AWS::CloudWatch::Alarm')
      .filter(([id]) => id.startsWith('ErrorBudget'))
      .map(([, { Threshold }]) => Threshold);
    expect(new Set(thresholds)).toEqual(new Set([0.00144, 0.0006]));
  });

  it.each([94, 100])('refuse an objective of %i %%', (availabilityTarget) => {
    expect(() => tenantLike({ availabilityTarget })).toThrow(/availabilityTarget/);
  });
});
