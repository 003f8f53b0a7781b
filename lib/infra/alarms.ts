// The alarms for operators. Each alarm names its article in docs/operations.md, which says what to do.
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  type AlarmBase,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Aws, type Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { AuditTrail } from './audit-trail.ts';
import { addErrorBudgetAlarms } from './error-budget.ts';
import { functionThrottles, oldest, ownMetric, period, tableThrottles } from './metrics.ts';
import type { Resources } from './resources.ts';
import type { Workers } from './workers.ts';

interface Watched {
  readonly resources: Resources;
  readonly gateway: RestApi;
  readonly workers: Workers;
  readonly audit: AuditTrail;
  /** The function that queues the runs of due schedules. */
  readonly clock: LambdaFunction;
}

interface AlarmRow {
  readonly description: string;
  readonly article: string;
  /** One metric, or several that are added up, by more than one alarm if they are too many for one. */
  readonly metric: IMetric | readonly IMetric[];
  /** The threshold: the alarm is raised above it. */
  readonly above: number;
  /** Consecutive periods of five minutes. */
  readonly periods: number;
}

export function addAlarms(scope: Construct, watched: Watched): AlarmBase[] {
  const { tenant } = watched.resources;
  const alarms = addEach(scope, alarmRows(watched));
  const { windows, burning } = addErrorBudgetAlarms(scope, watched.gateway, tenant);
  if (tenant.alarmEmail !== undefined) {
    const topic = alarmTopic(scope, tenant.alarmEmail);
    for (const alarm of [...alarms, ...burning])
      alarm.addAlarmAction({ bind: () => ({ alarmActionArn: topic.topicArn }) });
  }
  return [...alarms, ...burning, ...windows];
}

function addEach(scope: Construct, rows: Readonly<Record<string, AlarmRow>>): Alarm[] {
  return Object.entries(rows).flatMap(([id, row]) =>
    alarmSums([row.metric].flat(), period).map(
      (metric, n) =>
        new Alarm(scope, n === 0 ? id : `${id}${n + 1}`, {
          alarmDescription: `${row.description} See docs/operations.md#${row.article}`,
          metric,
          threshold: row.above,
          evaluationPeriods: row.periods,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
    ),
  );
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
      description: 'A run could not be executed and is stored as a dead letter.',
      article: 'runs-dead-lettered',
      metric: ownMetric('DeadLetters', resources.tenant),
      above: 0,
      periods: 1,
    },
    DeadLettersStuck: {
      description:
        'Messages have been in the dead-letter queue of runs for more than 15 minutes without being stored.',
      article: 'dead-letters-stuck',
      metric: oldest(resources.deadLetters),
      above: 900,
      periods: 1,
    },
    DeliveriesDeadLettered: {
      description: 'The function that delivers callbacks failed five times for the same callback.',
      article: 'deliveries-dead-lettered',
      metric: resources.deliveryDeadLetters.metricApproximateNumberOfMessagesVisible({
        period,
        statistic: 'Maximum',
      }),
      above: 0,
      periods: 1,
    },
    RunsWaiting: {
      description: 'The oldest queued run has waited for more than half an hour.',
      article: 'runs-waiting',
      metric: oldest(resources.runQueue),
      above: 1800,
      periods: 1,
    },
  };
}

function runAlarms({ resources, workers, clock }: Watched): Record<string, AlarmRow> {
  return {
    WorkerErrors: {
      description: 'A function that consumes a queue keeps failing or timing out.',
      article: 'worker-errors',
      metric: Object.values(workers).map((made) => made.metricErrors({ period })),
      above: 0,
      periods: 3,
    },
    SchedulesFailing: {
      description: 'Due schedules cannot be run.',
      article: 'schedules-failing',
      metric: clock.metricErrors({ period }),
      above: 0,
      periods: 2,
    },
    SchedulesSkipped: {
      description: 'Runs of schedules were skipped, because they were more than 15 minutes late.',
      article: 'schedules-skipped',
      metric: ownMetric('SchedulesSkipped', resources.tenant),
      above: 0,
      periods: 1,
    },
    BudgetExhausted: {
      description: 'An exhausted budget for models keeps runs from starting, or has ended some.',
      article: 'budget-exhausted',
      metric: ownMetric('BudgetStops', resources.tenant),
      above: 0,
      periods: 1,
    },
    FunctionsThrottled: {
      description: 'Lambda throttles functions of the account in this region.',
      article: 'functions-throttled',
      metric: functionThrottles(),
      above: 0,
      periods: 2,
    },
  };
}

function answerAlarms({ resources }: Watched): Record<string, AlarmRow> {
  return {
    PayloadsUnreadable: {
      description: 'A stored flow or snapshot could not be decrypted.',
      article: 'payloads-unreadable',
      metric: ownMetric('PayloadUnreadable', resources.tenant),
      above: 0,
      periods: 1,
    },
    TablesThrottled: {
      description: 'DynamoDB throttles reads or writes.',
      article: 'tables-throttled',
      metric: [...tableThrottles(resources.control), ...tableThrottles(resources.runs)],
      above: 0,
      periods: 2,
    },
  };
}

function auditAlarms({ resources, audit }: Watched): Record<string, AlarmRow> {
  return {
    AuditDeadLettered: {
      description: 'Audit records could not be written and are in the dead-letter queue.',
      article: 'audit-dead-lettered',
      metric: audit.deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      above: 0,
      periods: 1,
    },
    AuditLost: {
      description: 'An action has no record in the audit trail.',
      article: 'audit-lost',
      metric: ownMetric('AuditLost', resources.tenant),
      above: 0,
      periods: 1,
    },
  };
}

function alarmTopic(scope: Construct, email: string): Topic {
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  topic.addToResourcePolicy(alarmsMayPublish(topic));
  new Subscription(scope, 'AlarmsByEmail', { topic, protocol: SubscriptionProtocol.EMAIL, endpoint: email });
  return topic;
}

/** A topic with a policy, here that of `enforceSSL`, no longer lets everything in its account publish. */
const alarmsMayPublish = (topic: Topic): PolicyStatement => {
  const { account, partition, region } = Stack.of(topic);
  // CloudFormation names the alarms, whatever the name is under which the template is deployed.
  const alarms = `arn:${partition}:cloudwatch:${region}:${account}:alarm:${Aws.STACK_NAME}-*`;
  return new PolicyStatement({
    sid: 'AllowAlarmsOfStack',
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: [topic.topicArn],
    conditions: {
      StringEquals: { 'aws:SourceAccount': account },
      ArnLike: { 'aws:SourceArn': alarms },
    },
  });
};

/** In one alarm: its expression can contain at most ten metrics and no SEARCH. */
const metricsMax = 10;

/** Sums many metrics into the few that alarms use. */
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
