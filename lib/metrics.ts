// Metrics as CloudWatch Embedded Metric Format lines: no call, no wait.
import { Metrics } from '@aws-lambda-powertools/metrics';
import { optionalEnv } from './env.ts';

const namespace = 'AgentFlow';

/**
 * CloudWatch bills each combination of a name and values of dimensions. `docs/costs.md` has how many there can be, by
 * `test/support/metric-series.ts`.
 */
export type MetricName =
  /** The time until a request was answered. The number of its samples is that of requests. */
  | 'Duration'
  | 'Runs'
  /** In US dollars, by the prices of the tenant file. */
  | 'ModelCost'
  | 'PayloadUnreadable'
  | 'AuditLost'
  | 'DeadLetters'
  | 'SchedulesSkipped'
  /** Starts that an exhausted budget prevented, and runs that it ended. */
  | 'BudgetStops'
  /** Budgets that have become nearly used up, or exhausted. */
  | 'BudgetStates'
  | 'PushNotifications';

/** Of those that do not count. */
const units: Readonly<Partial<Record<MetricName, 'Milliseconds' | 'None'>>> = {
  Duration: 'Milliseconds',
  ModelCost: 'None',
};

type Texts = Readonly<Record<string, string>>;

interface Described {
  readonly dimensions?: Texts;
  /** In the line, for those who search the log, and not in the metric. */
  readonly beside?: Texts;
}

/** Made with the first use, since it reads the environment when it is made. */
let metrics: Metrics | undefined;

/**
 * Every metric has the dimensions `service` and `tenant`. One line at once, so that it also works while a
 * response still streams.
 */
export function measure(
  name: MetricName,
  value: number,
  { dimensions = {}, beside = {} }: Described = {},
): void {
  metrics ??= newMetrics();
  metrics.addDimensions({ ...dimensions });
  metrics.addMetric(name, units[name] ?? 'Count', value);
  for (const [key, text] of Object.entries(beside)) metrics.addMetadata(key, text);
  // Not by `singleMetric`, which makes an instance for each: that takes longer than the line.
  metrics.publishStoredMetrics();
}

export const count = (name: Exclude<MetricName, 'Duration' | 'ModelCost'>, described?: Described): void =>
  measure(name, 1, described);

const newMetrics = (): Metrics =>
  new Metrics({
    namespace,
    defaultDimensions: { tenant: optionalEnv('TENANT_ID') ?? 'none' },
  });
