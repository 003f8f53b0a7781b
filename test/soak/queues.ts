// That no queue holds a message in the end: not the run queue, and not the dead letters, which are filed.
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Service } from '#test/support/forked-host.ts';

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

export async function messagesLeft({ queues }: Service): Promise<string[]> {
  const sqs = new SQSClient();
  const left = await Promise.all(
    Object.values(queues).map(async ({ name, url }) => {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...counts] }),
      );
      const messages = counts.reduce((sum, count) => sum + Number(Attributes[count] ?? 0), 0);
      return messages > 0 ? [`The queue ${name} still has ${messages} messages.`] : [];
    }),
  );
  return left.flat();
}
