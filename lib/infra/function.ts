// Creates a Lambda function: runtime, bundle, log group, role and variables.
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { CfnResource, Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Use } from '#lib/http/route.ts';
import { ownRole, sharedRole } from './function-role.ts';
import { addLogGroup } from './log-group.ts';
import { type Grant, grants, type Resources } from './resources.ts';

export interface FunctionOptions {
  /** Also the id of the function for `sam local invoke`. */
  readonly id: string;
  /** `functions/{entry}.ts` is the source, `{bundleFolder}/{entry}` the bundle. */
  readonly entry: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly uses: readonly Use[];
  /** By default the function shares the concurrency of the account. */
  readonly reservedConcurrency?: number | undefined;
  /** Permissions for an event source other than API Gateway, and for a failure destination. */
  readonly extraStatements?: readonly PolicyStatement[];
  /** Its role is never shared. */
  readonly hasOwnRole?: boolean;
  /**
   * Sends messages to its own queue, more often than the 16 times after which Lambda stops a recursive loop.
   */
  readonly feedsItself?: boolean;
}

export interface FunctionSurroundings {
  readonly resources: Resources;
  readonly gatewayUrl: string;
  /** Where the service is reached, too. */
  readonly otherAddresses: readonly string[];
  /** The folder of the bundle of an entry. */
  readonly bundle: (entry: string) => string;
  /** The nested stack of the roles that functions share. */
  readonly roles: Construct;
}

export function addFunction(
  scope: Construct,
  options: FunctionOptions,
  surroundings: FunctionSurroundings,
): LambdaFunction {
  const { resources, roles } = surroundings;
  const granted = options.uses.map((use) => grants[use](resources));
  const logGroup = addLogGroup(scope, options.id, resources.tenant);
  const role =
    options.hasOwnRole || resources.tenant.functionRoles === 'own'
      ? ownRole(scope, options, logGroup, granted)
      : sharedRole(roles, options, resources);
  const made = new LambdaFunction(scope, options.id, {
    description: options.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: Code.fromAsset(surroundings.bundle(options.entry)),
    timeout: Duration.seconds(options.timeoutSeconds),
    memorySize: options.memoryMegabytes,
    tracing: Tracing.ACTIVE,
    logGroup,
    // The role is complete, so constructs must not add permissions to it.
    role: role.withoutPolicyUpdates(),
    environment: mergeEnvironment(granted, surroundings),
    ...(options.reservedConcurrency !== undefined && {
      reservedConcurrentExecutions: options.reservedConcurrency,
    }),
    ...(options.feedsItself && { recursiveLoop: RecursiveLoop.ALLOW }),
  });
  addMetadata(made, options);
  return made;
}

/**
 * Adds the source file, for hosts that run it without its bundle, and the id that `sam local` uses in any
 * stack.
 */
function addMetadata(made: LambdaFunction, { id, entry }: FunctionOptions): void {
  const resource = made.node.defaultChild;
  if (!CfnResource.isCfnResource(resource)) throw new Error(`${made.node.path} has no resource of its own.`);
  resource.addMetadata('agentflow:entry', `functions/${entry}.ts`);
  resource.addMetadata('SamResourceId', id);
}

/** A variable has the same value in all functions, since the local host runs them in one process. */
function mergeEnvironment(
  granted: readonly Grant[],
  { resources, gatewayUrl, otherAddresses }: FunctionSurroundings,
): Record<string, string> {
  const everywhere = {
    TENANT_ID: resources.tenant.id,
    GATEWAY_URL: gatewayUrl,
    ...(otherAddresses.length > 0 && { OTHER_ADDRESSES: otherAddresses.join(',') }),
    POWERTOOLS_SERVICE_NAME: 'agent-flow',
    LOG_LEVEL: 'INFO',
  };
  return Object.assign(everywhere, ...granted.map((grant) => grant.environment));
}
