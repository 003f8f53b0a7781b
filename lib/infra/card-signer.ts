// The function that signs cards: those that serve them, or run flows, have no use of the key that signs.
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/routes/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';

/** As functions of requests, one of which waits for it. */
export const memoryMegabytes = 1024;

export function addCardSigner(scope: Construct, surroundings: FunctionSurroundings): LambdaFunction {
  const { entry, timeoutSeconds, uses } = eventSources.signCard;
  const description = 'Signs a card of a build when it is requested for the first time';
  return addFunction(
    scope,
    { id: 'SignCard', entry, description, timeoutSeconds, memoryMegabytes, uses },
    surroundings,
  );
}
