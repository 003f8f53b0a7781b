// The alarms for the availability of a tenant: they are raised when its error budget, the part of all requests that may
// fail, is used up too fast. Windows and rates are those of the SRE Workbook, chapter 5, "Alerting on SLOs".
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Aws, Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Tenant } from './tenant.ts';

interface BurnRate {
  readonly id: string;
  /** How many times faster than a budget of 30 days allows. */
  readonly rate: number;
  /** The budget that is gone at this rate after the long window. */
  readonly used: string;
  readonly long: Duration;
  /** It ends the alarm soon after the failures have ended. */
  readonly short: Duration;
}

const burnRates: readonly BurnRate[] = [
  {
    id: 'ErrorBudgetBurnsFast',
    rate: 14.4,
    used: '2 % in an hour',
    long: Duration.hours(1),
    short: Duration.minutes(5),
  },
  {
    id: 'ErrorBudgetBurnsSlowly',
    rate: 6,
    used: '5 % in six hours',
    long: Duration.hours(6),
    short: Duration.minutes(30),
  },
];

/** Fewer failures in the long window raise nothing: of twenty requests at night, one is 5 %. */
const failuresMin = 3;

interface ErrorBudgetAlarms {
  /** Those that notify. */
  readonly burning: readonly CompositeAlarm[];
  readonly windows: readonly Alarm[];
}

export function addErrorBudgetAlarms(
  scope: Construct,
  gateway: RestApi,
  { availabilityTarget }: Tenant,
): ErrorBudgetAlarms {
  const made = burnRates.map(({ id, rate, used, long, short }) => {
    const threshold = Number((rate * (1 - availabilityTarget / 100)).toFixed(6));
    const above = (name: string, metric: IMetric) =>
      new Alarm(scope, `${id}${name}`, {
        alarmDescription: `A part of ${id}, which sends the notification. See docs/operations.md#error-budget`,
        metric,
        threshold,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    const windows = [
      above('Long', failedShareOfMany(gateway, long)),
      above('Short', failedShare(gateway, short)),
    ];
    const burning = new CompositeAlarm(scope, id, {
      // The topic admits alarms by the name of the stack.
      compositeAlarmName: `${Aws.STACK_NAME}-${id}`,
      alarmDescription: `Requests fail with a 5xx so often that ${used} of the error budget of 30 days is used up. See docs/operations.md#error-budget`,
      alarmRule: AlarmRule.allOf(...windows),
    });
    return { burning, windows };
  });
  return { burning: made.map(({ burning }) => burning), windows: made.flatMap(({ windows }) => windows) };
}

/** The average of this metric is the share of requests. */
export const failedShare = (gateway: RestApi, period: Duration): IMetric =>
  gateway.metricServerError({ period, statistic: 'Average' });

const failedShareOfMany = (gateway: RestApi, period: Duration): IMetric =>
  new MathExpression({
    expression: `IF(failed >= ${failuresMin}, share, 0)`,
    usingMetrics: {
      failed: gateway.metricServerError({ period, statistic: 'Sum' }),
      share: failedShare(gateway, period),
    },
    period,
  });
