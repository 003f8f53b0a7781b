import { describe, expect, it } from 'vitest';
import { surfaces } from '#lib/http/surface.ts';
import { at, deployedTemplate, ofType, tenantLike } from './demo-app.ts';

const template = deployedTemplate();
const [[, dashboard] = []] = ofType(template, 'AWS::CloudWatch::Dashboard');
/** JSON with references in it. */
const body = JSON.stringify(at(dashboard, 'DashboardBody')).replaceAll('\\"', '"').replaceAll('\\\\', '\\');

describe('the dashboard', () => {
  it.each([...new Set(Object.values(surfaces))])(
    'has traffic, errors and latency of the surface %s',
    (surface) => {
      const wanted = [`surface=\\"${surface}\\"`, `status_class=\\"5xx\\"`, `${surface} p99`];
      for (const text of wanted) expect(body.replaceAll('\\\\', '\\')).toContain(text);
    },
  );

  it.each([
    'ApproximateAgeOfOldestMessage',
    'ConcurrentExecutions',
    'Throttles',
    'WriteThrottleEvents',
    '"Runs"',
    '"ModelCost"',
    '5XXError',
  ])('shows %s', (metric) => {
    expect(body).toContain(metric);
  });

  it('shows the state of every alarm', () => {
    const alarms = ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
      ofType(template, type).map(([id]) => id),
    );
    for (const id of alarms) expect(body).toContain(`"Fn::GetAtt":["${id}","Arn"]`);
  });

  it('can be switched off in the tenant file', () => {
    const without = deployedTemplate(tenantLike({ dashboard: false }));
    expect(ofType(without, 'AWS::CloudWatch::Dashboard')).toEqual([]);
  });
});
