// Metrics as lines of the log in CloudWatch's Embedded Metric Format: no call, no wait. Written here and not by
// Powertools, which takes ten times as long for a line, twice in each run.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
import { optionalEnv } from './env.ts';

type Names = Readonly<Record<string, string>>;

/**
 * Every metric has the dimensions `service` and `tenant`. One line at once, so that it also works while a
 * response still streams. `beside` is in the line, for those who search the log, and not in the metric.
 */
export function count(
  name: 'Requests' | 'Runs' | 'PayloadUnreadable' | 'AuditLost' | 'DeadLetters' | 'PushNotifications',
  dimensions: Names,
  beside: Names = {},
): void {
  const { POWERTOOLS_METRICS_DISABLED, POWERTOOLS_SERVICE_NAME: service = 'agent-flow' } = process.env;
  if (POWERTOOLS_METRICS_DISABLED === 'true') return;
  const all = { service, tenant: optionalEnv('TENANT_ID') ?? 'none', ...dimensions };
  const metric = {
    Namespace: 'AgentFlow',
    Dimensions: [Object.keys(all)],
    Metrics: [{ Name: name, Unit: 'Count' }],
  };
  const _aws = { Timestamp: Date.now(), CloudWatchMetrics: [metric] };
  process.stdout.write(`${JSON.stringify({ _aws, ...beside, ...all, [name]: 1 })}\n`);
}
