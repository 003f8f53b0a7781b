// The SQS client that all queues share, and its three calls.
import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchRequestEntry,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  keepSerdeConfig,
  keepSigner,
  lowLatencyClientConfig,
  preparedCommands,
  unneededMiddleware,
} from './aws.ts';
import { requireEnv } from './env.ts';

const sqs = keepSerdeConfig(keepSigner(new SQSClient({ ...lowLatencyClientConfig, ...preparedCommands })));
for (const name of unneededMiddleware) sqs.middlewareStack.remove(name);

/** The variable that holds the URL of a queue. */
type Queue = 'RUN_QUEUE_URL' | 'RUN_DEAD_LETTER_QUEUE_URL' | 'DELIVERY_QUEUE_URL';

/** Returns once SQS has the message. */
export async function sendMessage(
  queue: Queue,
  message: Omit<SendMessageCommandInput, 'QueueUrl'>,
): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: requireEnv(queue), ...message }));
}

/** Ten messages at most. Returns those that SQS refused. */
export async function sendMessages(
  queue: Queue,
  Entries: SendMessageBatchRequestEntry[],
): Promise<BatchResultErrorEntry[]> {
  const { Failed = [] } = await sqs.send(
    new SendMessageBatchCommand({ QueueUrl: requireEnv(queue), Entries }),
  );
  return Failed;
}

/** Ten messages at most. Returns those that SQS refused. */
export async function changeVisibility(
  queue: Queue,
  Entries: ChangeMessageVisibilityBatchRequestEntry[],
): Promise<BatchResultErrorEntry[]> {
  const { Failed = [] } = await sqs.send(
    new ChangeMessageVisibilityBatchCommand({ QueueUrl: requireEnv(queue), Entries }),
  );
  return Failed;
}
