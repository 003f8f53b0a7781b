// The queues: runs that nobody waits for, callbacks that tell of their end, and for each of the two what could not be dealt with.
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { queueSources } from '#lib/routes/event-sources.ts';

/** AWS asks for six times the consumer's timeout, so that no message comes back while its batch may still be retried. */
const visibilityFactor = 6;

export interface Queues {
  readonly runQueue: Queue;
  /** Of the run queue. Its consumer files what comes, and is asked again for two weeks when it cannot. */
  readonly deadLetters: Queue;
  readonly deliveryQueue: Queue;
  /** Of the delivery queue. Nobody reads it but an operator. */
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
    // Two weeks also for messages that wait: an outage of days loses none.
    retentionPeriod: Duration.days(14),
    visibilityTimeout: Duration.seconds(visibilityFactor * timeoutSeconds),
    ...(deadLetters &&
      receiveCountMax !== undefined && {
        deadLetterQueue: { queue: deadLetters, maxReceiveCount: receiveCountMax },
      }),
  });
}
