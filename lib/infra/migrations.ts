// The function that rewrites stored items. Nothing invokes it but operators, who need `lambda:InvokeFunction` for it.
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/routes/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';

const memoryMegabytes = 512;

export function addMigrations(scope: Construct, surroundings: FunctionSurroundings): LambdaFunction {
  const { entry, timeoutSeconds, uses } = eventSources.migrate;
  const description = 'Rewrites stored items, started by an operator';
  return addFunction(
    scope,
    { id: 'Migrate', entry, description, timeoutSeconds, memoryMegabytes, uses },
    surroundings,
  );
}
