// The least that a webhook could cost, as a subject: one SendMessage of the very message that our webhook sends, by a client as one makes it.
// Its arguments are the address of the queue, the message and its group.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { answer, sayReady } from './answering.ts';
import { costOf, warmUp } from './measure.ts';

const [, , QueueUrl, MessageBody, MessageGroupId] = process.argv;
const sqs = new SQSClient();
const send = async () => {
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId }));
};

await warmUp(send, 3_000);
answer({ cost: () => costOf(send, 500) });
sayReady({});
