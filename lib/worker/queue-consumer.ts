// The handler of a queue. It handles each message of a batch by itself, so that a bad one neither fails nor
// repeats the others. A message whose worker lives stays hidden from other workers, for a short time at once:
// that of a worker that dies comes back within minutes, and not only after the visibility timeout of the
// queue, which is meant for messages that no worker has seen yet. That takes a call, so a message is hidden when it
// is consumed for a second, or when its consumer asks for it, because something is about to happen that others see.
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { QueueSource } from '#lib/http/event-source.ts';
import { type Log, requestLog } from '#lib/log.ts';
import { changeVisibility } from '#lib/queue.ts';
import { hiddenSeconds, hideAfterMs, hideAgainAfterMs } from '#lib/run/lease-times.ts';

export interface QueueDelivery {
  readonly body: string;
  /** The same for each delivery of a message. */
  readonly messageId: string;
  /** Reads a message attribute. */
  readonly attribute: (name: string) => string | undefined;
  /** Whether the message was delivered before. */
  readonly isRepeated: boolean;
  /** True when SQS would move the message to the dead-letter queue after this try. */
  readonly isLastTry: boolean;
  readonly remainingMs: () => number;
  /** Has the message delivered again soon, should this worker die. It is hidden anyway if it takes a second. */
  readonly hide: () => void;
  readonly log: Log;
}

type Source = Pick<QueueSource, 'entry' | 'receiveCountMax' | 'hides'>;

/** `consume` throws to have the message delivered again, later with each time. */
export function queueConsumer(source: Source, consume: (delivery: QueueDelivery) => Promise<void>) {
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const processor = new BatchProcessor(EventType.SQS);
    const handleAll = async (hide: () => void) =>
      await processPartialResponse(event, createHandler(source, consume, context, hide), processor, {
        context,
        throwOnFullBatchFailure: false,
      });
    return await (source.hides ? whileHidden(event.Records, handleAll) : handleAll(() => undefined));
  };
}

const createHandler =
  (source: Source, consume: (delivery: QueueDelivery) => Promise<void>, context: Context, hide: () => void) =>
  async (record: SQSRecord): Promise<void> => {
    const log = requestLog({
      request_id: context.awsRequestId,
      message_id: record.messageId,
      route: source.entry,
    });
    try {
      await consume({ ...toDelivery(record, source, context), hide, log });
    } catch (error) {
      log.warn('message goes back to the queue', {
        reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
      });
      throw error;
    }
  };

const toDelivery = (
  { body, messageId, attributes, messageAttributes }: SQSRecord,
  { receiveCountMax = Number.POSITIVE_INFINITY }: Source,
  context: Context,
): Omit<QueueDelivery, 'hide' | 'log'> => ({
  body,
  messageId,
  attribute: (name) => messageAttributes[name]?.stringValue,
  isRepeated: Number(attributes.ApproximateReceiveCount) > 1,
  isLastTry: Number(attributes.ApproximateReceiveCount) >= receiveCountMax,
  remainingMs: () => context.getRemainingTimeInMillis(),
});

async function whileHidden(
  records: readonly SQSRecord[],
  handleAll: (hide: () => void) => Promise<SQSBatchResponse>,
): Promise<SQSBatchResponse> {
  const hidden = records.map(({ receiptHandle }) => ({ receiptHandle, seconds: hiddenSeconds }));
  let hiding: Promise<void> | undefined;
  // At the same time, so that no run waits for it.
  const hideFirst = () => {
    hiding ??= hide(hidden);
  };
  const timers = [
    setTimeout(hideFirst, hideAfterMs),
    setInterval(() => void hide(hidden), hideAgainAfterMs),
  ] as const;
  // Before the messages that failed are hidden for longer.
  const stop = () => timers.forEach(clearTimeout);
  const response = await handleAll(hideFirst).finally(stop);
  await hiding;
  await hide(listFailed(records, response));
  return response;
}

interface HiddenMessage {
  readonly receiptHandle: string;
  /** From now. */
  readonly seconds: number;
}

/** The more often a message has failed, the later it is delivered again. */
function listFailed(records: readonly SQSRecord[], { batchItemFailures }: SQSBatchResponse): HiddenMessage[] {
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return records
    .filter(({ messageId }) => failed.has(messageId))
    .map(({ receiptHandle, attributes }) => ({
      receiptHandle,
      seconds: retryDelaySeconds(Number(attributes.ApproximateReceiveCount)),
    }));
}

/** By the number of its deliveries, until a failed message is delivered again: some 50 minutes in all. */
const retrySeconds = [30, 120, 600, 2_400] as const;
const retryDelaySeconds = (receiveCount: number): number =>
  retrySeconds[Math.min(receiveCount, retrySeconds.length) - 1] ?? retrySeconds[0];

/**
 * The work continues if SQS does not answer: at worst the message is delivered twice, which has no effect, or
 * late.
 */
async function hide(messages: readonly HiddenMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const entries = messages.map(({ receiptHandle, seconds }, n) => ({
    Id: String(n),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  }));
  try {
    const refused = await changeVisibility('RUN_QUEUE_URL', entries);
    if (refused.length > 0) requestLog({}).warn('messages were not hidden', { refused: refused.length });
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    requestLog({}).warn('messages were not hidden', { reason });
  }
}
