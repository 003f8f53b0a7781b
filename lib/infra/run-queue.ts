// The queue of runs that nobody waits for, and the queue that keeps what could not be run.
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/api/event-sources.ts';

/** AWS asks for six times the consumer's timeout, so that no message comes back while its batch may still be retried. */
const visibilityFactor = 6;
/** Five leaves room for throttled deliveries, which count as well. */
const receiveCountMax = 5;

export interface RunQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

export function runQueue(scope: Construct): RunQueue {
  const deadLetters = new Queue(scope, 'RunDeadLetterQueue', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  const queue = new Queue(scope, 'RunQueue', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    visibilityTimeout: Duration.seconds(visibilityFactor * eventSources.runQueued.timeoutSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: receiveCountMax },
  });
  return { queue, deadLetters };
}
