// The functions that queues feed, from the table of event sources.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/api/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';

/** One whole vCPU: a worker runs several flows of a batch at once. */
const memoryMegabytes = 1769;
/** Batches at work at the same time, so that a flood of events leaves the account's concurrency to the callers who wait. */
const concurrencyMax = 20;

export function addWorker(
  scope: Construct,
  queue: Queue,
  surroundings: FunctionSurroundings,
): LambdaFunction {
  const { entry, timeoutSeconds, batchSize, uses } = eventSources.runQueued;
  const options = {
    id: 'RunQueued',
    entry,
    description: 'Runs flows that nobody waits for',
    timeoutSeconds,
    memoryMegabytes,
    uses,
  };
  const worker = addFunction(
    scope,
    { ...options, extraStatements: [consume(queue)], feedsItself: true },
    surroundings,
  );
  new EventSourceMapping(scope, 'RunQueuedMapping', {
    target: worker,
    eventSourceArn: queue.queueArn,
    batchSize,
    maxConcurrency: concurrencyMax,
    reportBatchItemFailures: true,
  });
  return worker;
}

function consume(queue: Queue): PolicyStatement {
  return new PolicyStatement({
    actions: [
      'sqs:ReceiveMessage',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ChangeMessageVisibility',
    ],
    resources: [queue.queueArn],
  });
}
