// The CPU time in which the webhook accepts an event, beside one bare SendMessage of the same message to the
// same queue, in turns.
import * as z from 'zod';
import { awsJson } from '#lib/local/aws-json.ts';
import { type Owner, promoteBuild } from './registry-caller.ts';
import { type Row, toFigure } from './row.ts';
import { startSubject } from './subject.ts';

const repetitions = 9;
/** The webhook may take 1.3 times the CPU time of the bare call. */
const ratioMin = 0.77;

export async function webhookRows(
  owner: Owner,
  environment: Readonly<Record<string, string>>,
): Promise<Row[]> {
  const { flowid } = await promoteBuild(owner);
  const sqs = (operation: string, body: object) =>
    awsJson(environment.AWS_ENDPOINT_URL_SQS ?? '', `AmazonSQS.${operation}`, body);
  // Nobody takes messages from it, so nothing else happens while it is measured.
  const QueueUrl = String((await sqs('CreateQueue', { QueueName: 'bench-events' })).QueueUrl);
  await using subject = await startSubject(new URL('subject-webhook.ts', import.meta.url), {
    args: [owner.key, flowid, QueueUrl, `${owner.orgid}/${flowid}`],
    environment: { ...environment, ...asDeployed, RUN_QUEUE_URL: QueueUrl },
  });
  const costs: z.infer<typeof cost>[] = [];
  for (let n = 0; n < repetitions; n += 1) costs.push(cost.parse(await subject.ask('cost')));
  return [
    {
      what: 'webhook accepts an event, CPU; peer: a bare SendMessage',
      unit: 'µs',
      ours: toFigure(costs.map(({ ours }) => ours)),
      peer: toFigure(costs.map(({ bare }) => bare)),
      ratioMin,
    },
  ];
}

/** The host under test is silent, a function on AWS is not. */
export const asDeployed = {
  LOG_LEVEL: 'INFO',
  POWERTOOLS_METRICS_DISABLED: 'false',
  POWERTOOLS_SERVICE_NAME: 'agent-flow',
};

/** In µs. */
const cost = z.object({ ours: z.number(), bare: z.number() });
