// The handler of a queue: each message on its own, so that a bad one neither fails nor repeats its neighbours.
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { QueueSource } from '#lib/http/event-source.ts';
import { type Log, requestLog } from '#lib/log.ts';
import { whileHidden } from './hidden-messages.ts';

export interface Delivery {
  readonly body: string;
  /** Of the message: the same for each delivery of it. */
  readonly messageId: string;
  /** What was put beside the body, under a name. */
  readonly attribute: (name: string) => string | undefined;
  /** True when SQS would move the message to the dead-letter queue after this try. */
  readonly isLastTry: boolean;
  readonly remainingMs: () => number;
  readonly log: Log;
}

type Source = Pick<QueueSource, 'entry' | 'receiveCountMax' | 'hides'>;

/** `consume` throws to have the message delivered again, later with each time. */
export function queueConsumer(source: Source, consume: (delivery: Delivery) => Promise<void>) {
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const processor = new BatchProcessor(EventType.SQS);
    const handle = async (record: SQSRecord) => {
      const log = requestLog({
        request_id: context.awsRequestId,
        message_id: record.messageId,
        route: source.entry,
      });
      try {
        await consume(deliveryOf(record, source, context, log));
      } catch (error) {
        log.warn('message goes back to the queue', {
          reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
        });
        throw error;
      }
    };
    const work = async () =>
      await processPartialResponse(event, handle, processor, { context, throwOnFullBatchFailure: false });
    return await (source.hides ? whileHidden(event.Records, work) : work());
  };
}

function deliveryOf(
  { body, messageId, attributes, messageAttributes }: SQSRecord,
  { receiveCountMax = Number.POSITIVE_INFINITY }: Source,
  context: Context,
  log: Log,
): Delivery {
  return {
    body,
    messageId,
    attribute: (name) => messageAttributes[name]?.stringValue,
    isLastTry: Number(attributes.ApproximateReceiveCount) >= receiveCountMax,
    remainingMs: () => context.getRemainingTimeInMillis(),
    log,
  };
}
