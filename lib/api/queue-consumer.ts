// The handler of a queue: each message on its own, so that a bad one neither fails nor repeats its neighbours.
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type Log, requestLog } from '#lib/log.ts';
import { whileHidden } from './hidden-messages.ts';

export interface Delivery {
  readonly body: string;
  /** True when SQS would move the message to the dead-letter queue after this try. */
  readonly isLastTry: boolean;
  readonly remainingMs: () => number;
  readonly log: Log;
}

interface Source {
  readonly entry: string;
  /** Deliveries until SQS gives up on a message. */
  readonly receiveCountMax: number;
}

/** `consume` throws to have the message delivered again, later with each time. */
export function queueConsumer(source: Source, consume: (delivery: Delivery) => Promise<void>) {
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
    await whileHidden(event.Records, () => handleBatch(source, consume, event, context));
}

async function handleBatch(
  source: Source,
  consume: (delivery: Delivery) => Promise<void>,
  event: SQSEvent,
  context: Context,
): Promise<SQSBatchResponse> {
  const processor = new BatchProcessor(EventType.SQS);
  const handle = async (record: SQSRecord) => {
    const log = requestLog({
      request_id: context.awsRequestId,
      message_id: record.messageId,
      route: source.entry,
    });
    try {
      await consume({
        body: record.body,
        isLastTry: Number(record.attributes.ApproximateReceiveCount) >= source.receiveCountMax,
        remainingMs: () => context.getRemainingTimeInMillis(),
        log,
      });
    } catch (error) {
      log.warn('message goes back to the queue', {
        reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
      });
      throw error;
    }
  };
  return await processPartialResponse(event, handle, processor, {
    context,
    throwOnFullBatchFailure: false,
  });
}
