// Shifts the traffic of the most important functions to a new version step by step, and back if it fails: an alias of
// each, which CodeDeploy moves by a tenth a minute while an alarm watches the errors of the alias.
import { ComparisonOperator, type IAlarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  type IFunction,
  type IVersion,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { FunctionSurroundings } from './function.ts';
import { allow } from './statements.ts';

/** Who waits for a run, and who runs what is queued. Others change nothing that an update could break for long. */
const gradual: ReadonlySet<string> = new Set([
  'TriggerFlow',
  'CallLiveAgent',
  'CallAgent',
  'CallConnector',
  'RunQueued',
]);

/** What invokes the function goes through the result: the function itself, or the alias whose traffic is shifted. */
export function entranceOf(made: LambdaFunction, { resources, roles }: FunctionSurroundings): IFunction {
  const id = made.node.id;
  if (!resources.tenant.gradualUpdates || !gradual.has(id)) return made;
  const stack = Stack.of(made);
  const alias = new Alias(stack, `${id}Live`, { aliasName: 'live', version: asVersion(made.currentVersion) });
  new LambdaDeploymentGroup(stack, `${id}Rollout`, {
    application: findApplication(roles),
    alias,
    role: rolloutRole(stack, made),
    deploymentConfig: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_1MINUTE,
    alarms: [failures(stack, id, alias)],
    autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
  });
  return asFunction(alias);
}

const isFunction = (made: object): made is IFunction => 'functionArn' in made;
const isVersion = (made: object): made is IVersion => isFunction(made) && 'version' in made;

/** The types of the CDK differ in an optional member that may be undefined. */
function asFunction(alias: object): IFunction {
  if (isFunction(alias)) return alias;
  throw new Error('An alias is a function.');
}

function asVersion(version: object): IVersion {
  if (isVersion(version)) return version;
  throw new Error('A version is a function with a version.');
}

/** Crashes and timeouts; a request that is answered with a 5xx is an answer of the function. */
function failures(scope: Construct, id: string, alias: Alias): IAlarm {
  return alias
    .metricErrors({ period: Duration.minutes(1), statistic: 'Sum' })
    .createAlarm(scope, `${id}Failing`, {
      alarmDescription: `${id} crashes or times out: its update is undone. See docs/operations.md#gradual-updates`,
      threshold: 3,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
}

function findApplication(scope: Construct): LambdaApplication {
  const existing = scope.node.tryFindChild('Rollouts');
  return existing instanceof LambdaApplication ? existing : new LambdaApplication(scope, 'Rollouts');
}

/**
 * In place of the managed policy, which allows CodeDeploy to change the aliases of all functions of the account. It is
 * made beside the function and names it: CloudFormation invents the name of a function and cuts it to 64 characters, so
 * no pattern is sure to match it.
 */
function rolloutRole(scope: Construct, made: LambdaFunction): IRole {
  const role = new Role(scope, `${made.node.id}RolloutRole`, {
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: {
      shift: new PolicyDocument({
        statements: [
          allow(
            ['lambda:UpdateAlias', 'lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig'],
            [made.functionArn, `${made.functionArn}:*`],
          ),
          // It has no resource-level permissions.
          allow(['cloudwatch:DescribeAlarms'], ['*']),
        ],
      }),
    },
  });
  return role.withoutPolicyUpdates();
}
