// What wakes an operator. Each alarm names its article in docs/operations.md; an alarm without an article would be noise.
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { alarmSums } from './alarm-sums.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Resources } from './resources.ts';
import type { RouteFunction } from './routes.ts';
import type { Workers } from './workers.ts';

interface Watched {
  readonly resources: Resources;
  readonly gateway: RestApi;
  readonly routeFunctions: readonly RouteFunction[];
  readonly workers: Workers;
  readonly audit: AuditTrail;
  /** Runs what is due. */
  readonly clock: LambdaFunction;
}

interface AlarmRow {
  readonly says: string;
  readonly article: string;
  /** One, or many that are summed up: where they are more than one alarm takes, each of several looks at some. */
  readonly metric: IMetric | readonly IMetric[];
  /** The alarm goes off above this; of many, each metric alone may be above it. */
  readonly above: number;
  /** Periods of five minutes in a row. */
  readonly periods: number;
}

const period = Duration.minutes(5);

export function addAlarms(scope: Construct, watched: Watched): void {
  const { alarmEmail } = watched.resources.tenant;
  const topic = alarmEmail === undefined ? undefined : alarmTopic(scope, alarmEmail);
  for (const [id, row] of Object.entries(alarmRows(watched))) {
    for (const [n, metric] of alarmSums([row.metric].flat(), period).entries()) {
      const alarm = new Alarm(scope, n === 0 ? id : `${id}${n + 1}`, {
        alarmDescription: `${row.says} See docs/operations.md#${row.article}`,
        metric,
        threshold: row.above,
        evaluationPeriods: row.periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      if (topic) alarm.addAlarmAction({ bind: () => ({ alarmActionArn: topic.topicArn }) });
    }
  }
}

const alarmRows = (watched: Watched): Record<string, AlarmRow> => ({
  ...queueAlarms(watched),
  ...runAlarms(watched),
  ...answerAlarms(watched),
  ...auditAlarms(watched),
});

function queueAlarms({ resources }: Watched): Record<string, AlarmRow> {
  return {
    RunsDeadLettered: {
      says: 'A run could not be executed and was set aside.',
      article: 'runs-dead-lettered',
      metric: ours('DeadLetters', resources),
      above: 0,
      periods: 1,
    },
    DeadLettersStuck: {
      says: 'Messages that could not be run have not been filed for a quarter of an hour.',
      article: 'dead-letters-stuck',
      metric: oldest(resources.deadLetters),
      above: 900,
      periods: 1,
    },
    DeliveriesDeadLettered: {
      says: 'The function that delivers callbacks failed five times at one.',
      article: 'deliveries-dead-lettered',
      metric: resources.deliveryDeadLetters.metricApproximateNumberOfMessagesVisible({
        period,
        statistic: 'Maximum',
      }),
      above: 0,
      periods: 1,
    },
    RunsWaiting: {
      says: 'The oldest queued run has waited for more than half an hour.',
      article: 'runs-waiting',
      metric: oldest(resources.runQueue),
      above: 1800,
      periods: 1,
    },
  };
}

function runAlarms({ routeFunctions, workers, clock }: Watched): Record<string, AlarmRow> {
  const longFunctions = routeFunctions
    .filter(({ route }) => route.timeout === 'run')
    .map((made) => made.function);
  return {
    WorkerErrors: {
      says: 'A function that a queue feeds keeps crashing or running out of time.',
      article: 'worker-errors',
      metric: Object.values(workers).map((made) => made.metricErrors({ period })),
      above: 0,
      periods: 3,
    },
    SchedulesFailing: {
      says: 'Schedules that are due cannot be run.',
      article: 'schedules-failing',
      metric: clock.metricErrors({ period }),
      above: 0,
      periods: 2,
    },
    FunctionsThrottled: {
      says: 'Lambda refuses to start functions that run flows.',
      article: 'functions-throttled',
      metric: [workers.runQueued, clock, ...longFunctions].map((made) => made.metricThrottles({ period })),
      above: 0,
      periods: 2,
    },
  };
}

function answerAlarms({ resources, gateway }: Watched): Record<string, AlarmRow> {
  return {
    GatewayServerErrors: {
      says: 'More than 1 % of requests fail with a 5xx.',
      article: 'gateway-server-errors',
      // The average of this metric is the share of requests.
      metric: gateway.metricServerError({ period, statistic: 'Average' }),
      above: 0.01,
      periods: 3,
    },
    PayloadsUnreadable: {
      says: 'A stored flow or snapshot could not be opened.',
      article: 'payloads-unreadable',
      metric: ours('PayloadUnreadable', resources),
      above: 0,
      periods: 1,
    },
    TablesThrottled: {
      says: 'DynamoDB refuses reads or writes.',
      article: 'tables-throttled',
      metric: [...throttles(resources.control), ...throttles(resources.runs)],
      above: 0,
      periods: 2,
    },
  };
}

function auditAlarms({ resources, audit }: Watched): Record<string, AlarmRow> {
  return {
    AuditDeadLettered: {
      says: 'Audit records could not be written and were set aside.',
      article: 'audit-dead-lettered',
      metric: audit.deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      above: 0,
      periods: 1,
    },
    AuditLost: {
      says: 'Something was done that the audit trail does not tell.',
      article: 'audit-lost',
      metric: ours('AuditLost', resources),
      above: 0,
      periods: 1,
    },
  };
}

/** Seconds that the oldest message has waited. */
const oldest = (queue: Queue): IMetric =>
  queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum' });

/** A metric that functions write themselves (`lib/metrics.ts`). */
const ours = (metricName: string, { tenant }: Resources): IMetric =>
  new Metric({
    namespace: 'AgentFlow',
    metricName,
    dimensionsMap: { service: 'agent-flow', tenant: tenant.id },
    statistic: 'Sum',
    period,
  });

function throttles(table: Table): IMetric[] {
  return ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
    table.metric(name, { period, statistic: 'Sum' }),
  );
}

function alarmTopic(scope: Construct, email: string): Topic {
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  new Subscription(scope, 'AlarmsByEmail', { topic, protocol: SubscriptionProtocol.EMAIL, endpoint: email });
  return topic;
}
