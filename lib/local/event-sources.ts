// The local event source mappings: polls the queues, invokes the functions with SQS events, and deletes the
// messages that were handled.
import * as z from 'zod';
import { accountId, region } from './account.ts';
import { awsJson } from './aws-json.ts';
import { explain, type Functions } from './lambda.ts';
import type { Sqs } from './sqs.ts';

export type EventSource = {
  readonly queueName: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly reportsItemFailures: boolean;
  readonly concurrencyMax: number | undefined;
};

export type EventSources = {
  /**
   * Resolves when no message is being handled and none is waiting to be received; delayed ones and later
   * retries do not count. Of all queues, or of one.
   */
  readonly idle: (queueName?: string) => Promise<void>;
  readonly flushDelayed: (queueName?: string) => void;
  readonly close: () => Promise<void>;
};

type Poll = {
  readonly source: EventSource;
  readonly sqs: Sqs;
  readonly functions: Functions;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /**
   * Messages whose handling failed. They are in flight until their visibility timeout, but not being handled.
   */
  readonly released: Set<string>;
};

/**
 * Lambda starts with five pollers for a queue and adds up to a thousand, which is too many for one process. Here one reads for
 * all of them: the engine wakes everyone who waits whenever a message comes, though only one of them gets it.
 */
const batchesDefault = 5;
const batchesMax = 50;
/** ReceiveMessage returns at most ten messages. */
const receiveMax = 10;
/** Closing does not wait longer for a run: messages in flight are delivered again after the next start. */
const closeMillisMax = 2000;
const idleCheckMillis = 5;

const message = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.string(),
  Attributes: z.record(z.string(), z.string()).default({}),
  MessageAttributes: z
    .record(
      z.string(),
      z.object({
        DataType: z.string(),
        StringValue: z.string().optional(),
        BinaryValue: z.string().optional(),
      }),
    )
    .default({}),
});
type Message = z.output<typeof message>;

export function startEventSources(
  sources: readonly EventSource[],
  sqs: Sqs,
  functions: Functions,
  log: (line: string) => void,
): EventSources {
  const stop = new AbortController();
  const polls = sources.map(
    (source): Poll => ({ source, sqs, functions, log, signal: stop.signal, released: new Set() }),
  );
  const loops = polls.map(pollLoop);
  const select = (name: string | undefined) =>
    name === undefined ? polls : polls.filter(({ source }) => source.queueName === name);
  return {
    idle: async (queueName) => {
      while (select(queueName).some(isBusy))
        await new Promise((resolve) => setTimeout(resolve, idleCheckMillis));
    },
    flushDelayed: (queueName) => {
      for (const { source, released } of select(queueName)) {
        sqs.flushDelayed(source.queueName, [...released]);
        released.clear();
      }
    },
    close: async () => {
      stop.abort();
      await Promise.race([Promise.all(loops), new Promise((end) => setTimeout(end, closeMillisMax).unref())]);
    },
  };
}

function isBusy({ source, sqs, released }: Poll): boolean {
  const { ready, inFlight } = sqs.inspect(source.queueName);
  return ready > 0 || inFlight.some((handle) => !released.has(handle));
}

/** Ends when no batch is being handled either. */
async function pollLoop(poll: Poll): Promise<void> {
  const batches = new Set<Promise<void>>();
  const concurrent = Math.min(poll.source.concurrencyMax ?? batchesDefault, batchesMax);
  while (!poll.signal.aborted) {
    const messages = await orPause(receive(poll), poll);
    if (messages === undefined || messages.length === 0) continue;
    const batch: Promise<void> = orPause(handle(messages, poll), poll).finally(() => batches.delete(batch));
    batches.add(batch);
    if (batches.size === concurrent) await Promise.race(batches);
  }
  await Promise.all(batches);
}

/** A call of the queue that fails is logged, and nothing follows it for a second. */
async function orPause<T>(call: Promise<T>, poll: Poll): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (poll.signal.aborted) return undefined;
    poll.log(`Polling ${poll.source.queueName}: ${String(error)}`);
    await new Promise((resolve) => setTimeout(resolve, 1000).unref());
    return undefined;
  }
}

async function receive({ source, sqs, signal }: Poll): Promise<Message[]> {
  const answer = await queueCall(sqs, source, 'ReceiveMessage', signal, {
    MaxNumberOfMessages: Math.min(source.batchSize, receiveMax),
    WaitTimeSeconds: 20,
    AttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  return z.array(message).parse(answer.Messages ?? []);
}

async function handle(messages: readonly Message[], poll: Poll): Promise<void> {
  const failed = await failedIds(messages, poll);
  const succeeded = messages.filter(({ MessageId }) => !failed.has(MessageId));
  if (succeeded.length > 0)
    await queueCall(poll.sqs, poll.source, 'DeleteMessageBatch', undefined, {
      Entries: succeeded.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
    });
  for (const { MessageId, ReceiptHandle } of messages)
    if (failed.has(MessageId)) poll.released.add(ReceiptHandle);
}

/**
 * All messages if the function failed or its response is malformed; otherwise those that it reports, if any.
 */
async function failedIds(messages: readonly Message[], poll: Poll): Promise<Set<string>> {
  const { source, functions, log } = poll;
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  try {
    const answer = await functions.invoke(source.functionName, sqsEvent(messages, source));
    const reported = source.reportsItemFailures ? reportedFailures(answer, all) : new Set<string>();
    if (reported.size > 0)
      log(`${source.functionName} reported ${reported.size} of ${messages.length} messages as failed`);
    return reported;
  } catch (error) {
    log(explain(error));
    return all;
  }
}

const batchAnswer = z
  .object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish() })
  .nullable();

function reportedFailures(answer: unknown, all: Set<string>): Set<string> {
  const read = batchAnswer.safeParse(answer);
  const failures = read.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  const isMalformed = !read.success || failures.some((id) => !all.has(id));
  return isMalformed ? all : new Set(failures);
}

function sqsEvent(messages: readonly Message[], source: EventSource) {
  return {
    Records: messages.map((one) => ({
      messageId: one.MessageId,
      receiptHandle: one.ReceiptHandle,
      body: one.Body,
      attributes: one.Attributes,
      messageAttributes: Object.fromEntries(
        Object.entries(one.MessageAttributes).map(([name, value]) => [name, messageAttribute(value)]),
      ),
      md5OfBody: one.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: source.queueArn,
      awsRegion: region,
    })),
  };
}

function messageAttribute({ DataType, StringValue, BinaryValue }: Message['MessageAttributes'][string]) {
  const value = StringValue === undefined ? { binaryValue: BinaryValue } : { stringValue: StringValue };
  return { ...value, stringListValues: [], binaryListValues: [], dataType: DataType };
}

function queueCall(
  sqs: Sqs,
  source: EventSource,
  name: string,
  signal: AbortSignal | undefined,
  body: object,
) {
  const QueueUrl = `${sqs.endpoint}/${accountId}/${source.queueName}`;
  return awsJson(sqs.endpoint, `AmazonSQS.${name}`, { QueueUrl, ...body }, signal);
}
