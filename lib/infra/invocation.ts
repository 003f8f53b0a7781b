// The permission to invoke another function of the stack, and its name.
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { EnvName } from '#lib/env.ts';
import { allow } from './statements.ts';

interface Invocation {
  readonly statements: readonly PolicyStatement[];
  readonly environment: Partial<Record<EnvName, string>>;
}

/** `invoked` is undefined while that function is created itself. */
export function invokes(invoked: LambdaFunction | undefined, variable: EnvName): Invocation {
  if (!invoked) throw new Error(`The function of ${variable} may not invoke itself.`);
  return {
    statements: [allow(['lambda:InvokeFunction'], [invoked.functionArn])],
    environment: { [variable]: invoked.functionName },
  };
}
