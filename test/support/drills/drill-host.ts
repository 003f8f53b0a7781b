// The service for failure drills: a host of its own with the template that deploys, proxies that break what the functions
// ask of AWS, and what the functions print, which CloudWatch makes metrics and logs of.
import * as z from 'zod';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { awsJson } from '#lib/local/aws-json.ts';
import { type Host, startHost } from '#lib/local/host.ts';
import { startAwsProxy, type Verdict } from '../aws-proxy.ts';

type Judge = (operation: string, body: Buffer) => Verdict;

export interface DrillHost {
  readonly host: Host;
  /** What becomes of calls to DynamoDB until `mend`. */
  readonly breakDynamoDb: (judge: Judge) => void;
  readonly disableFlowKey: () => void;
  /** All that is broken works again. */
  readonly mend: () => void;
  /** The sum of a metric since the drill has begun. */
  readonly metric: (name: string) => number;
  /** A line that functions or the host have logged since the drill has begun. */
  readonly logged: (pattern: RegExp) => string | undefined;
  /** Messages in a queue, also those in flight. */
  readonly messages: (queue: string) => Promise<number>;
  /** As after the times that messages and retries wait. */
  readonly waitLonger: (times?: number) => Promise<void>;
  /** Forgets metrics and log, and mends everything. */
  readonly begin: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const template = tenantTemplate({
  id: 'drills',
  models: {
    default: { provider: 'openai-compatible', model: 'm', base_url: 'https://models.example.com/v1' },
  },
  modelDefault: 'default',
  egressAllowPrivate: ['127.0.0.1'],
});

export async function startDrillHost(): Promise<DrillHost> {
  const printed = capturePrinted();
  const environment = { LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_DISABLED: 'false' };
  const log = (line: string) => void printed.lines.push(line);
  const host = await startHost({ template, dataDir: undefined, port: 0, environment, log });
  let judge: Judge = () => 'pass';
  const proxy = await startAwsProxy(host.endpoints.dynamodb, (operation, body) => judge(operation, body));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
  process.env.OWN_SERVICE_URL = host.baseUrl;
  const { FlowKeyId = '' } = host.outputs;
  const mend = () => {
    judge = () => 'pass';
    host.kms.enable(FlowKeyId);
  };
  const waitLonger = async (times = 1) => {
    for (let n = 0; n < times; n += 1) {
      await host.idle();
      host.flushDelayedMessages();
    }
    await host.idle();
  };
  return {
    host,
    breakDynamoDb: (broken) => {
      judge = broken;
    },
    disableFlowKey: () => host.kms.disable(FlowKeyId),
    mend,
    metric: (name) => printed.lines.reduce((sum, line) => sum + readMetric(line, name), 0),
    logged: (pattern) => printed.lines.find((line) => pattern.test(line)),
    messages: (queue) => countMessages(host, queue),
    waitLonger,
    begin: async () => {
      mend();
      await waitLonger();
      printed.lines.length = 0;
    },
    close: async () => {
      await host.close();
      await proxy.close();
      printed.stop();
    },
  };
}

/** The lines of functions: JSON on either stream. */
function capturePrinted() {
  const lines: string[] = [];
  const stops = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream;
    const capture = (chunk: unknown, ...rest: unknown[]): unknown => {
      if (typeof chunk !== 'string' || !chunk.startsWith('{'))
        return Reflect.apply(write, stream, [chunk, ...rest]);
      lines.push(...chunk.trimEnd().split('\n'));
      return true;
    };
    Object.assign(stream, { write: capture });
    return () => void Object.assign(stream, { write });
  });
  return { lines, stop: () => stops.map((stop) => stop()) };
}

const metricLine = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(z.object({ Metrics: z.array(z.object({ Name: z.string() })) })),
  }),
});

/** What a line of CloudWatch Embedded Metric Format adds to a metric. */
function readMetric(line: string, name: string): number {
  if (!line.startsWith('{"_aws"')) return 0;
  const { _aws, ...values } = metricLine.parse(JSON.parse(line));
  const isNamed = _aws.CloudWatchMetrics.some(({ Metrics }) => Metrics.some((each) => each.Name === name));
  return isNamed ? [values[name]].flat().reduce<number>((sum, value) => sum + Number(value), 0) : 0;
}

const attributes = z.object({ Attributes: z.record(z.string(), z.coerce.number()) });

async function countMessages({ endpoints, queues }: Host, queue: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  const QueueUrl = Object.entries(queues).find(([id]) => id.startsWith(queue))?.[1].url;
  const answer = await awsJson(endpoints.sqs, 'AmazonSQS.GetQueueAttributes', { QueueUrl, AttributeNames });
  return Object.values(attributes.parse(answer).Attributes).reduce((sum, count) => sum + count, 0);
}
