// The dashboard of a tenant: its alarms, the golden signals of each surface (traffic, errors, latency, saturation), its
// runs, its queues and what its models cost.
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  GraphWidgetView,
  type IAlarm,
  type IMetric,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { surfaces } from '#lib/http/surface.ts';
import { failedShare } from './error-budget.ts';
import {
  answerTime,
  concurrentExecutions,
  functionThrottles,
  oldest,
  ownMetric,
  period,
  requestsOf,
  tableThrottles,
} from './metrics.ts';
import type { Resources } from './resources.ts';

export interface Shown {
  readonly resources: Resources;
  readonly gateway: RestApi;
  readonly alarms: readonly IAlarm[];
}

const dashboardWidth = 24;

export function addDashboard(scope: Construct, shown: Shown): Dashboard {
  return new Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.days(1),
    widgets: [
      [
        heading(shown.resources),
        new AlarmStatusWidget({ title: 'Alarms', alarms: [...shown.alarms], width: 18, height: 6 }),
      ],
      surfaceGraphs(shown),
      [failures(shown), ...saturation(shown)],
      [runsByState(shown), costByDay(shown)],
    ],
  });
}

function heading({ tenant }: Resources): TextWidget {
  const lines = [
    `# ${tenant.id}`,
    `Objective: ${tenant.availabilityTarget} % of requests succeed.`,
    'Each alarm names its article in `docs/operations.md`.',
    `What AWS bills: Cost Explorer, by the tag \`tenant\`: \`${tenant.id}\`.`,
  ];
  return new TextWidget({ markdown: lines.join('\n\n'), width: 6, height: 6 });
}

interface GraphOptions {
  readonly unit?: string;
  readonly stacked?: boolean;
  readonly width?: number;
}

const graph = (
  title: string,
  left: IMetric[],
  { unit, stacked = false, width = 6 }: GraphOptions = {},
): GraphWidget =>
  new GraphWidget({
    title,
    left,
    stacked,
    width,
    height: 7,
    period,
    leftYAxis: { min: 0, showUnits: false, ...(unit !== undefined && { label: unit }) },
  });

function surfaceGraphs({ resources: { tenant } }: Shown): IWidget[] {
  const all = [...new Set(Object.values(surfaces))];
  return [
    graph(
      'Requests',
      all.map((surface) => requestsOf(tenant, surface)),
      { stacked: true },
    ),
    graph(
      'Server errors (5xx)',
      all.map((surface) => requestsOf(tenant, surface, '5xx')),
      { stacked: true },
    ),
    graph(
      'Refused (4xx)',
      all.map((surface) => requestsOf(tenant, surface, '4xx')),
      { stacked: true },
    ),
    graph(
      'Time to answer (2xx)',
      all.flatMap((surface) => ['p50', 'p99'].map((statistic) => answerTime(tenant, surface, statistic))),
      { unit: 'ms' },
    ),
  ];
}

function failures({ resources: { tenant }, gateway }: Shown): IWidget {
  return new GraphWidget({
    title: 'Share of failed requests, by the hour',
    left: [failedShare(gateway, Duration.hours(1))],
    leftAnnotations: [{ value: 1 - tenant.availabilityTarget / 100, label: 'the error budget' }],
    leftYAxis: { min: 0, showUnits: false },
    width: 6,
    height: 7,
    period: Duration.hours(1),
  });
}

function saturation({ resources }: Shown): IWidget[] {
  const { runQueue, deadLetters, deliveryQueue, control, runs } = resources;
  return [
    graph('Age of the oldest message', [runQueue, deliveryQueue, deadLetters].map(oldest), {
      unit: 'seconds',
    }),
    graph('Concurrent functions of the account', [concurrentExecutions()]),
    graph('Throttles', [functionThrottles(), ...tableThrottles(control), ...tableThrottles(runs)]),
  ];
}

function runsByState({ resources: { tenant } }: Shown): IWidget {
  const ended = ['completed', 'failed', 'canceled'].map((status) =>
    ownMetric('Runs', tenant, { dimensionsMap: { status }, label: status }),
  );
  return graph('Runs that ended', ended, { stacked: true, width: dashboardWidth / 2 });
}

function costByDay({ resources: { tenant } }: Shown): IWidget {
  const day = Duration.days(1);
  return new GraphWidget({
    title: 'Models by the day, in US dollars by the prices of the tenant file',
    left: [ownMetric('ModelCost', tenant, { period: day, label: 'models' })],
    view: GraphWidgetView.BAR,
    start: '-P14D',
    leftYAxis: { min: 0, showUnits: false },
    width: dashboardWidth / 2,
    height: 7,
    period: day,
  });
}
