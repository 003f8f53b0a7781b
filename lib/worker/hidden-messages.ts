// Keeps the message of a worker hidden from others for as long as this one lives, a short time at once: so that of a worker that dies comes
// back within minutes, and not only after the timeout of the queue, which is meant for messages that no worker has seen yet.
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { requestLog } from '#lib/log.ts';
import { hiddenSeconds, hideAgainAfterMs, retryDelaySeconds } from '#lib/run/lease-times.ts';
import { type Hidden, hideMessages } from '#lib/run/run-queue.ts';

export async function whileHidden(
  records: readonly SQSRecord[],
  handle: () => Promise<SQSBatchResponse>,
): Promise<SQSBatchResponse> {
  const hidden = records.map(({ receiptHandle }) => ({ receiptHandle, seconds: hiddenSeconds }));
  await hide(hidden);
  const beat = setInterval(() => void hide(hidden), hideAgainAfterMs);
  try {
    const answer = await handle();
    await hide(failedOf(records, answer));
    return answer;
  } finally {
    clearInterval(beat);
  }
}

/** The more often a message has failed, the longer it rests. */
const failedOf = (records: readonly SQSRecord[], { batchItemFailures }: SQSBatchResponse): Hidden[] => {
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  return records
    .filter(({ messageId }) => failed.has(messageId))
    .map(({ receiptHandle, attributes }) => ({
      receiptHandle,
      seconds: retryDelaySeconds(Number(attributes.ApproximateReceiveCount)),
    }));
};

/** Without an answer the work goes on: at worst the message comes twice, which has no effect, or late. */
async function hide(messages: readonly Hidden[]): Promise<void> {
  try {
    const refused = await hideMessages(messages);
    if (refused > 0) requestLog({}).warn('messages were not hidden', { refused });
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    requestLog({}).warn('messages were not hidden', { reason });
  }
}
