// Puts a dead letter back into the run queue, as it came.
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { requireEnv } from '#lib/env.ts';
import { sqs } from '#lib/queue.ts';

/** `group`: as for all messages of the queue, so that redriving thousands does not starve the others. */
export async function putBack(body: string, group: string): Promise<void> {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: requireEnv('RUN_QUEUE_URL'),
      MessageBody: body,
      MessageGroupId: group.slice(0, 128),
    }),
  );
}
