// Our webhook and the least that it could cost, in one process and in turns: the handler, called as in
// Lambda, and one SendMessage of the very message that it sends, by a client as one makes it. Its arguments
// are an API key, the id of a flow that is live, the address of a queue, and the message's group.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { awsJson } from '#lib/local/aws-json.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { answer, sayReady } from './answering.ts';
import { cpuMicros, warmUp } from './measure.ts';

const [, , key = '', flowid = '', QueueUrl, MessageGroupId] = process.argv;
const { handler } = await import('#functions/trigger/accept-webhook.ts');
const answered = z.object({ statusCode: z.literal(202) });

const event = eventFor('acceptWebhook', {
  key,
  params: { flow_id: flowid },
  body: { event: 'message.received', data: { text: 'Where is my order 1042?' } },
});
const context = lambdaContext();
const accept = async () => {
  // The handler puts other things into its event.
  answered.parse(await handler({ ...event }, context));
};

await accept();
const received = z.object({ Messages: z.tuple([z.object({ Body: z.string() })]) });
const { AWS_ENDPOINT_URL_SQS = '' } = process.env;
const [{ Body }] = received.parse(
  await awsJson(AWS_ENDPOINT_URL_SQS, 'AmazonSQS.ReceiveMessage', { QueueUrl }),
).Messages;
const sqs = new SQSClient();
const send = async () => {
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: Body, MessageGroupId }));
};

const turns = 1_000;

/**
 * Call by call, as a function is called on AWS: now and then, its caches cold. In a loop of its own, either
 * would find them warm from itself.
 */
async function cost(): Promise<Record<'ours' | 'bare', number>> {
  const sums = { ours: 0, bare: 0 };
  for (let n = 0; n < turns; n += 1) {
    sums.ours += await cpuMicros(accept);
    sums.bare += await cpuMicros(send);
  }
  return { ours: sums.ours / turns, bare: sums.bare / turns };
}

await warmUp(async () => {
  await accept();
  await send();
}, 3_000);
answer({ cost });
sayReady({});
