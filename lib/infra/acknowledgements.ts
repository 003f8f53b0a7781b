// The cdk-nag rule packs that each synth checks, and the findings that we accept, with the reasons. A finding
// without a row fails the synth; a row that no construct needs fails a test.
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { type App, Names, Stack, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import * as z from 'zod';
import { profileModels } from './bedrock.ts';
import { roleMembers } from './function-roles.ts';
import { StorageStack } from './storage.ts';
import type { Tenant } from './tenant.ts';

export interface Acknowledgement {
  readonly rule: string;
  /** The paths of the constructs for which the finding is accepted. */
  readonly at: RegExp;
  readonly reason: string;
}

const functionRoles = /^AgentFlow-[^/]+\/(?:\w+\/)?[A-Z]\w+Role\/Resource$/;
const rolloutRoles = /RolloutRole\/Resource$/;
const anyFunction = /^AgentFlow-[^/]+\/(?!Gateway)(?:\w+\/)?[A-Z]\w+\/Resource$/;
const methods = /\/Gateway\/Default\/.+\/(GET|HEAD|POST|PUT|DELETE)\/Resource$/;
/** These return 405 and call no function (other-methods.ts), or call one that authenticates. */
const otherMethods = /\/Gateway\/Default\/(?:.+\/)?ANY\/Resource$/;
const userPool = /\/UserPool$/;
const stage = /\/Gateway\/DeploymentStage\.[^/]+\/Resource$/;

export const acknowledgements: readonly Acknowledgement[] = [
  {
    rule: 'AwsSolutions-APIG2',
    at: /\/Gateway\/Resource$/,
    reason:
      'Functions validate with the schemas of the route table and name every mistake; a gateway validator names none.',
  },
  {
    rule: 'AwsSolutions-APIG3',
    at: stage,
    reason:
      'WAF has a monthly price, so a tenant has it only with `firewall` in its file. The stage is throttled.',
  },
  {
    rule: 'AwsSolutions-APIG4',
    at: methods,
    reason: 'Functions authenticate: one gateway authorizer cannot cache several kinds of credentials.',
  },
  {
    rule: 'AwsSolutions-COG4',
    at: methods,
    reason: 'Callers hold API keys of their organisation, not Cognito accounts.',
  },
  ...['AwsSolutions-APIG4', 'AwsSolutions-COG4'].map((rule) => ({
    rule,
    at: otherMethods,
    reason:
      'They return the methods of a path, which the OpenAPI document publishes; functions behind them authenticate.',
  })),
  {
    rule: 'AwsSolutions-COG2',
    at: userPool,
    reason: 'Cognito asks for no second factor after an e-mail code or a passkey, and nobody has a password.',
  },
  {
    rule: 'AwsSolutions-COG8',
    at: userPool,
    reason: 'The Plus plan looks for leaked passwords and risky password sign-ins; nobody has a password.',
  },
  {
    rule: 'AwsSolutions-SMG4',
    at: /\/SignInClientSecret$/,
    reason:
      'Cognito makes the secret; `clientVersion` in the tenant file replaces it together with the client.',
  },
  {
    rule: 'AwsSolutions-APIG6',
    at: stage,
    reason: 'Execution logs would hold bodies and credentials; the access log has one line per request.',
  },
  {
    rule: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    at: /^AgentFlow-Shared[^/]*\/GatewayLogRole\/Resource$/,
    reason:
      'AWS prescribes this policy for the log role of API Gateway; only API Gateway can assume the role.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::*]',
    at: functionRoles,
    reason:
      'Only xray:PutTraceSegments, xray:PutTelemetryRecords and cloudwatch:DescribeAlarms, which have no resources; a test checks this.',
  },
  {
    rule: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/agent-flow/*]',
    at: functionRoles,
    reason:
      'Customers name roles of their accounts. The path is for such roles only, and each trusts an external id that the service computes.',
  },
  {
    rule: 'Serverless-LambdaStarPermissions',
    at: functionRoles,
    reason:
      'Only xray:PutTraceSegments, xray:PutTelemetryRecords and cloudwatch:DescribeAlarms, which have no resources; a test checks this.',
  },
  {
    rule: 'Serverless-LambdaDLQ',
    at: anyFunction,
    reason:
      'Callers see failures themselves, the run queue has a dead-letter queue, RecordAudit has a failure ' +
      'destination, and the next tick of the clock repeats the work of one that failed.',
  },
  {
    rule: 'Serverless-LambdaEventSourceMappingDestination',
    at: /\/\w+Mapping\/Resource$/,
    reason: 'SQS sources have no failure destination; the redrive policy of the queue does this.',
  },
  {
    rule: 'Serverless-SQSRedrivePolicy',
    at: /\/\w+DeadLetterQueue\/Resource$/,
    reason: 'It is the last queue: messages are kept for two weeks, and an alarm is raised.',
  },
  {
    rule: 'AwsSolutions-SQS3',
    at: /\/AuditDeadLetterQueue\/Resource$/,
    reason: 'It is a dead-letter queue itself, for an asynchronous function instead of a queue.',
  },
  {
    rule: 'AwsSolutions-S1',
    at: /\/FilesBucket\/Resource$/,
    reason:
      'Only functions have credentials for it, and signed URLs are issued by requests that have an audit record; ' +
      'access logs would need another bucket, and hold such URLs.',
  },
  {
    rule: 'Serverless-SNSRedrivePolicy',
    at: /\/AlarmsByEmail\/Resource$/,
    reason: 'SNS retries e-mail, and CloudWatch still shows an alarm whose e-mail was lost.',
  },
];

/** Must be called last, since it checks the constructs that exist. */
export function addChecks(app: App, tenants: readonly Tenant[], accepted = acknowledgements): void {
  const constructs = app.node.findAll();
  const buckets = constructs.filter((construct) => construct instanceof CfnBucket);
  const functions = constructs.filter((construct) => construct instanceof CfnFunction);
  const rows = [
    ...accepted,
    ...tenants.flatMap(profileAcknowledgements),
    ...tenants.flatMap(logAcknowledgements),
    ...buckets.map(bucketAcknowledgement),
    ...functions.map(rolloutAcknowledgement),
  ];
  for (const construct of constructs) {
    const own = rows.filter(({ at }) => at.test(construct.node.path));
    for (const { rule, reason } of own) Validations.of(construct).acknowledge({ id: rule, reason });
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}

/**
 * Bedrock chooses the region of an inference profile, so the model is granted in all regions, only for the
 * profile.
 */
function profileAcknowledgements({ models }: Tenant): Acknowledgement[] {
  return profileModels(models).map((model) => ({
    rule: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/${model}]`,
    at: functionRoles,
    reason:
      'An inference profile routes to any region of its geography; a condition binds the grant to the profile.',
  }));
}

/** In a nested stack, the bucket has the name of a reference; that of another stack has the name of its export. */
const bucketAcknowledgement = (bucket: CfnBucket): Acknowledgement => ({
  rule: `AwsSolutions-IAM5[Resource::${exportedArn(bucket) ?? `<referenceto${Names.nodeUniqueId(bucket.node)}Arn>`}/*]`,
  at: functionRoles,
  reason:
    'Keys of objects have the ids of files, which are created at run time: all objects of the one bucket.',
});

function exportedArn(bucket: CfnBucket): string | undefined {
  const stack = Stack.of(bucket);
  if (!(stack instanceof StorageStack)) return undefined;
  return z.object({ 'Fn::ImportValue': z.string() }).parse(stack.resolve(stack.exportValue(bucket.attrArn)))[
    'Fn::ImportValue'
  ];
}

/** The name of a log group ends with the suffix of its stack, to which the stack of the role cannot refer. */
const logAcknowledgements = ({ id }: Tenant): Acknowledgement[] =>
  roleMembers.map((member) => ({
    rule: `AwsSolutions-IAM5[Resource::${anyLogs}:/agent-flow/${id}/${member.id}/*]`,
    at: functionRoles,
    reason: 'The log group of one function, without the suffix of its stack.',
  }));

const anyLogs = 'arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group';

const rolloutAcknowledgement = (made: CfnFunction): Acknowledgement => ({
  rule: `AwsSolutions-IAM5[Resource::<${Stack.of(made).getLogicalId(made)}.Arn>:*]`,
  at: rolloutRoles,
  reason: 'The versions and aliases of one function.',
});
