// The series of metrics that a tenant can have at most. CloudWatch bills each combination of a name and values of
// dimensions that was written in a month, by the hour.
import { surfaces } from '#lib/http/surface.ts';
import type { MetricName } from '#lib/metrics.ts';

const statusClasses = 4;
const endedStatuses = 3;
const pushOutcomes = 3;

export const metricSeries: Readonly<Record<MetricName, number>> = {
  Duration: new Set(Object.values(surfaces)).size * statusClasses,
  Runs: endedStatuses,
  PushNotifications: pushOutcomes,
  ModelCost: 1,
  DeadLetters: 1,
  SchedulesSkipped: 1,
  BudgetStops: 1,
  BudgetStates: 2,
  PayloadUnreadable: 1,
  AuditLost: 1,
};
