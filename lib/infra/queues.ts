// The queues of background runs and of callbacks, each with its dead-letter queue.
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { queueSources } from '#lib/routes/event-sources.ts';

/**
 * AWS recommends six times the timeout of the function, so that a message is not delivered while it is
 * retried.
 */
const visibilityFactor = 6;

/**
 * A message keeps the time at which it was sent when SQS moves it to a dead-letter queue, so what waited as long as a
 * message may would expire there at once. A run counts as ended after 12 hours in its queue (`queueWaitMs`); the rest is
 * for outages.
 */
const sourceRetention = Duration.days(4);
/** The most that SQS allows. */
const deadLetterRetention = Duration.days(14);

export interface Queues {
  readonly runQueue: Queue;
  /** The dead-letter queue of runs. Its consumer stores the messages, with retries for two weeks. */
  readonly deadLetters: Queue;
  readonly deliveryQueue: Queue;
  /** The dead-letter queue of callbacks, which has no consumer: operators read it. */
  readonly deliveryDeadLetters: Queue;
}

export function queues(scope: Construct): Queues {
  const { runQueued, keepDeadLetter, deliverCallback } = queueSources;
  const deadLetters = newQueue(scope, 'RunDeadLetterQueue', keepDeadLetter);
  const deliveryDeadLetters = newQueue(scope, 'DeliveryDeadLetterQueue');
  return {
    runQueue: newQueue(scope, 'RunQueue', runQueued, deadLetters),
    deadLetters,
    deliveryQueue: newQueue(scope, 'DeliveryQueue', deliverCallback, deliveryDeadLetters),
    deliveryDeadLetters,
  };
}

interface Consumer {
  readonly timeoutSeconds: number;
  readonly receiveCountMax?: number;
}

function newQueue(scope: Construct, id: string, consumer?: Consumer, deadLetters?: Queue): Queue {
  const { timeoutSeconds = 5, receiveCountMax } = consumer ?? {};
  return new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: deadLetters ? sourceRetention : deadLetterRetention,
    visibilityTimeout: Duration.seconds(visibilityFactor * timeoutSeconds),
    ...(deadLetters &&
      receiveCountMax !== undefined && {
        deadLetterQueue: { queue: deadLetters, maxReceiveCount: receiveCountMax },
      }),
  });
}
