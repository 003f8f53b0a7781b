// Brings audit records from the logs of functions into the runs table: the log groups have subscriptions to
// one function, and a queue keeps what it cannot write in three attempts. The log group of the function
// itself has no subscription, which would be a loop.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnPermission, EventInvokeConfig, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Aws, Duration, Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { auditLineField } from '#lib/audit/audit-record.ts';
import { mayBeAudited } from '#lib/http/route.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';
import { logGroupsOfStack } from './log-group.ts';
import type { RouteFunction } from './routes.ts';

/** Enough, since the function decompresses a few kilobytes and waits for DynamoDB. */
const memoryMegabytes = 256;

export interface AuditTrail {
  readonly recorder: LambdaFunction;
  readonly deadLetters: Queue;
}

interface AuditedFunctions {
  readonly routeFunctions: readonly RouteFunction[];
  /** It records what it refuses. */
  readonly authorizer: LambdaFunction;
}

interface Places {
  /** The stack of the tenant: the queue holds records, so it never moves. */
  readonly stack: Construct;
  readonly background: Construct;
}

export function addAuditTrail(
  { stack, background }: Places,
  { routeFunctions, authorizer }: AuditedFunctions,
  surroundings: FunctionSurroundings,
): AuditTrail {
  const deadLetters = new Queue(stack, 'AuditDeadLetterQueue', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  const recorder = addRecorder(background, deadLetters, surroundings);
  const audited = routeFunctions.filter(({ route }) => mayBeAudited(route));
  const sources = [...audited.map((each) => each.function), authorizer];
  subscribe(recorder, sources, surroundings.resources.tenant.id);
  return { recorder, deadLetters };
}

function addRecorder(scope: Construct, deadLetters: Queue, surroundings: FunctionSurroundings) {
  const { entry, timeoutSeconds, retriesMax, ageHoursMax, uses } = eventSources.recordAudit;
  const setAside = new PolicyStatement({
    actions: ['sqs:SendMessage'],
    resources: [deadLetters.queueArn],
  });
  const recorder = addFunction(
    scope,
    {
      id: 'RecordAudit',
      entry,
      description: 'Writes audit records from the logs of all functions into the audit trail',
      timeoutSeconds,
      memoryMegabytes,
      uses,
      extraStatements: [setAside],
      hasOwnRole: true,
    },
    surroundings,
  );
  new EventInvokeConfig(scope, 'RecordAuditRetries', {
    function: recorder,
    retryAttempts: retriesMax,
    maxEventAge: Duration.hours(ageHoursMax),
    onFailure: { bind: () => ({ destination: deadLetters.queueArn }) },
  });
  return recorder;
}

/**
 * CloudWatch Logs checks the permission when it creates a subscription, so the permission is created first.
 */
function subscribe(recorder: LambdaFunction, audited: readonly LambdaFunction[], tenantId: string): void {
  const permissions = new Map<Stack, CfnPermission>();
  for (const source of audited) {
    const stack = Stack.of(source);
    const permission = permissions.get(stack) ?? allowLogGroups(stack, recorder, tenantId);
    permissions.set(stack, permission);
    const subscription = new SubscriptionFilter(stack, `${source.node.id}Audit`, {
      logGroup: source.logGroup,
      filterName: 'audit',
      filterPattern: FilterPattern.exists(auditLineField),
      destination: { bind: () => ({ arn: recorder.functionArn }) },
    });
    subscription.node.addDependency(permission);
  }
}

/** Allows all log groups of the stack together: a statement for each would exceed Lambda's limit of 20 KB. */
function allowLogGroups(stack: Stack, recorder: LambdaFunction, tenantId: string): CfnPermission {
  return new CfnPermission(stack, `RecordAuditFrom${stack.node.id}`, {
    action: 'lambda:InvokeFunction',
    functionName: recorder.functionArn,
    principal: 'logs.amazonaws.com',
    sourceAccount: Aws.ACCOUNT_ID,
    sourceArn: logGroupsOfStack(tenantId),
  });
}
