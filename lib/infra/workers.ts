// Creates the functions that consume queues, from the table of event sources.
import { EventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { QueueSource } from '#lib/http/event-source.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';
import { functionId } from './function-id.ts';
import { entranceOf } from './gradual-updates.ts';
import type { Resources } from './resources.ts';
import { receiveFrom } from './statements.ts';

type Name = keyof typeof queueSources;
export type Workers = Readonly<Record<Name, LambdaFunction>>;

export function addWorkers(scope: Construct, surroundings: FunctionSurroundings): Workers {
  const add = (name: Name) => addWorker(scope, functionId(name), queueSources[name], surroundings);
  return {
    runQueued: add('runQueued'),
    keepDeadLetter: add('keepDeadLetter'),
    deliverCallback: add('deliverCallback'),
  };
}

function addWorker(
  scope: Construct,
  id: string,
  source: QueueSource,
  surroundings: FunctionSurroundings,
): LambdaFunction {
  const { resources } = surroundings;
  const queue = resources[source.source];
  const worker = addFunction(scope, { ...source, id, extraStatements: [receiveFrom(queue)] }, surroundings);
  new EventSourceMapping(scope, `${id}Mapping`, {
    target: entranceOf(worker, surroundings),
    eventSourceArn: queue.queueArn,
    batchSize: source.batchSize,
    maxConcurrency: chooseConcurrency(source, resources),
    reportBatchItemFailures: true,
  });
  return worker;
}

/**
 * The maximum concurrency, so that many events do not use up the concurrency that synchronous callers need.
 */
const chooseConcurrency = ({ concurrencyMax }: QueueSource, { tenant }: Resources): number =>
  concurrencyMax === 'tenant' ? tenant.workerConcurrency : concurrencyMax;
