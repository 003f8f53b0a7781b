// The function that evaluates the code of flows: code of callers runs apart from everything that has permissions.
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/routes/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';

/** One whole processor: the functions that invoke it wait, and are billed meanwhile. */
const memoryMegabytes = 1769;

export function addCodeFunction(scope: Construct, surroundings: FunctionSurroundings): LambdaFunction {
  const { entry, timeoutSeconds, uses } = eventSources.evaluateCode;
  const description = 'Evaluates the code of flows';
  return addFunction(
    scope,
    { id: 'EvaluateCode', entry, description, timeoutSeconds, memoryMegabytes, uses },
    surroundings,
  );
}
