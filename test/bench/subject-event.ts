// Our two functions of a webhook as a subject, as on AWS: the one that accepts an event behind a bare HTTP server, and the
// one that runs it, to which sqs-consumer hands each message as the event source of Lambda does. The queue is embedded
// as that of `subject-plain.ts` is; the tables are those of the host that started it. Its argument is the id of a flow
// that is live.
import './zod-as-deployed.ts';
import { createServer } from 'node:http';
import type { Context, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { accountId } from '#lib/local/account.ts';
import { listen } from '#lib/local/listen.ts';
import { startSqs } from '#lib/local/sqs.ts';
import { lambdaContext } from '#test/support/events.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { type ReceivedMessage, startConsumers } from './consumers.ts';
import { bufferedListener } from './lambda-listener.ts';
import { createWaiting } from './waiting.ts';

const [, , flow_id = ''] = process.argv;

const queues = await startSqs(undefined);
await queues.createQueue('events', {});
process.env.AWS_ENDPOINT_URL_SQS = queues.endpoint;
process.env.RUN_QUEUE_URL = `${queues.endpoint}/${accountId}/events`;

const { handler: accept } = await import('#functions/trigger/accept-webhook.ts');
const { handler: work } = await import('#functions/run/run-queued.ts');

const waiting = createWaiting();
const sqsEvent = z.custom<SQSEvent>();
const context: Context = { ...lambdaContext(), getRemainingTimeInMillis: () => 900_000 };

/** In an invocation of its own, as the queue of runs hands them out. */
async function run(message: ReceivedMessage): Promise<void> {
  const record = {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: {},
  };
  const { batchItemFailures } = await work(sqsEvent.parse({ Records: [record] }), context);
  if (batchItemFailures.length > 0) throw new Error('An event was not run.');
  waiting.finish();
}

await startConsumers(process.env.RUN_QUEUE_URL, 10, run);

const served = { resource: '/api/triggers/webhook/{flow_id}', pathParameters: { flow_id } };
const listener = bufferedListener(accept, served);
const server = createServer(async (request, response) => {
  if (request.url === '/idle') {
    await waiting.idle();
    response.end('{}');
    return;
  }
  waiting.begin();
  listener(request, response);
});
answer({ cpu: cpuMicros });
sayReady({ baseUrl: await listen(server, 0) }, async () => await queues.close());
