// Metrics as CloudWatch Embedded Metric Format lines: no call, no wait.
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { optionalEnv } from './env.ts';

const namespace = 'AgentFlow';

/** Made with the first use, since it reads the environment when it is made. */
let metrics: Metrics | undefined;

/**
 * Every metric has the dimensions `service` and `tenant`. One line at once, so that it also works while a
 * response still streams. `beside` is in the line, for those who search the log, and not in the metric.
 */
export function count(
  name: 'Requests' | 'Runs' | 'PayloadUnreadable' | 'AuditLost' | 'DeadLetters' | 'PushNotifications',
  dimensions: Readonly<Record<string, string>>,
  beside: Readonly<Record<string, string>> = {},
): void {
  metrics ??= newMetrics();
  metrics.addDimensions({ ...dimensions });
  metrics.addMetric(name, MetricUnit.Count, 1);
  for (const [key, value] of Object.entries(beside)) metrics.addMetadata(key, value);
  // Not by `singleMetric`, which makes an instance for each: that takes longer than the line.
  metrics.publishStoredMetrics();
}

const newMetrics = (): Metrics =>
  new Metrics({ namespace, defaultDimensions: { tenant: optionalEnv('TENANT_ID') ?? 'none' } });
