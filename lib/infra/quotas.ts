// Quotas of AWS that the templates of tenants can reach: what grows with routes, with settings of the tenant file or
// with the number of tenants. `quota-check.ts` counts at every synth. docs/aws-limits.md shows the table, which
// `npx vitest run --project api aws-limits -u` writes.
import {
  amountOf,
  type Count,
  charactersOf,
  count,
  eachOf,
  type Part,
  propertyOf,
  sizeOf,
} from './quota-counts.ts';

export interface Quota {
  readonly service: string;
  /** What is counted, such as `resources of a stack`. */
  readonly name: string;
  readonly limit: number;
  /** Whether AWS raises it on request (Service Quotas). */
  readonly isAdjustable: boolean;
  /** What the counts of one template are compared or added up for. */
  readonly scope: 'each' | 'tenant' | 'account and region' | 'account';
  /** How much of the limit we use; 80 % unless a row says why not. */
  readonly usableShare?: number;
  readonly counts: (part: Part) => readonly Count[];
}

export const usableShare = 0.8;

const inTemplate = (used: (part: Part) => number) => (part: Part) => [{ at: part.file, used: used(part) }];
const all = (type: string) => inTemplate((part) => eachOf(part, type).length);
const ofEach = (type: string, used: (properties: unknown) => number) => (part: Part) =>
  eachOf(part, type).map(([id, { Properties }]) => ({ at: `${part.file}: ${id}`, used: used(Properties) }));

const each = { isAdjustable: false, scope: 'each' } as const;
const inAccount = { isAdjustable: true, scope: 'account and region' } as const;

/** A statement of a function's policy has ids and two ARNs. */
const permissionBytes = 500;

export const quotas: readonly Quota[] = [
  {
    ...each,
    service: 'CloudFormation',
    name: 'resources of a stack',
    limit: 500,
    // Only routes add to it, never a setting of a tenant file beyond what the tests count (decision 22).
    usableShare: 0.88,
    counts: inTemplate(({ template }) => count(template.Resources)),
  },
  {
    ...each,
    service: 'CloudFormation',
    name: 'parameters of a stack',
    limit: 200,
    counts: inTemplate(({ template }) => count(template.Parameters)),
  },
  {
    ...each,
    service: 'CloudFormation',
    name: 'outputs of a stack',
    limit: 200,
    counts: inTemplate(({ template }) => count(template.Outputs)),
  },
  {
    ...each,
    service: 'CloudFormation',
    name: 'bytes of a template',
    limit: 1_000_000,
    counts: inTemplate(({ bytes }) => bytes),
  },
  {
    service: 'CloudFormation',
    name: 'resources of a stack and of those nested in it, in one operation',
    limit: 2_500,
    isAdjustable: false,
    scope: 'tenant',
    counts: inTemplate(({ template }) => count(template.Resources)),
  },
  { ...inAccount, service: 'CloudFormation', name: 'stacks', limit: 2_000, counts: inTemplate(() => 1) },
  {
    service: 'IAM',
    name: 'roles',
    limit: 1_000,
    isAdjustable: true,
    scope: 'account',
    counts: all('AWS::IAM::Role'),
  },
  {
    ...each,
    service: 'IAM',
    name: 'characters of the policies of a role',
    limit: 10_240,
    counts: ofEach('AWS::IAM::Role', (role) => charactersOf(propertyOf(role, 'Policies'), 'PolicyDocument')),
  },
  {
    ...each,
    service: 'Lambda',
    name: 'bytes of the variables of a function',
    limit: 4_096,
    counts: ofEach('AWS::Lambda::Function', (made) => sizeOf(propertyOf(made, 'Environment.Variables'))),
  },
  {
    ...each,
    service: 'Lambda',
    name: 'layers of a function',
    limit: 5,
    counts: ofEach('AWS::Lambda::Function', (made) => count(propertyOf(made, 'Layers'))),
  },
  {
    ...each,
    service: 'Lambda',
    name: 'bytes of the policy of a function',
    limit: 20_480,
    counts: (part) =>
      [...permissionsByFunction(part)].map(([name, permissions]) => ({
        at: `${part.file}: ${name}`,
        used: permissions.length * permissionBytes,
      })),
  },
  {
    ...inAccount,
    service: 'Lambda',
    name: 'reserved concurrency, of which 100 stay unreserved',
    limit: 900,
    counts: inTemplate((part) =>
      eachOf(part, 'AWS::Lambda::Function').reduce(
        (sum, [, { Properties }]) => sum + amountOf(propertyOf(Properties, 'ReservedConcurrentExecutions')),
        0,
      ),
    ),
  },
  {
    service: 'API Gateway',
    name: 'path parts of an API',
    limit: 300,
    isAdjustable: true,
    scope: 'tenant',
    counts: all('AWS::ApiGateway::Resource'),
  },
  {
    service: 'API Gateway',
    name: 'authorizers of an API',
    limit: 10,
    isAdjustable: true,
    scope: 'tenant',
    counts: all('AWS::ApiGateway::Authorizer'),
  },
  {
    ...each,
    service: 'API Gateway',
    name: 'bytes of the format of an access log',
    limit: 3_072,
    counts: ofEach('AWS::ApiGateway::Stage', (stage) =>
      sizeOf({ '': propertyOf(stage, 'AccessLogSetting.Format') }),
    ),
  },
  {
    ...inAccount,
    service: 'API Gateway',
    name: 'regional APIs',
    limit: 600,
    isAdjustable: false,
    counts: all('AWS::ApiGateway::RestApi'),
  },
  {
    ...inAccount,
    service: 'API Gateway',
    name: 'custom domain names',
    limit: 120,
    counts: all('AWS::ApiGateway::DomainName'),
  },
  {
    ...each,
    service: 'DynamoDB',
    name: 'global secondary indexes of a table',
    limit: 20,
    isAdjustable: true,
    counts: ofEach('AWS::DynamoDB::Table', (table) => count(propertyOf(table, 'GlobalSecondaryIndexes'))),
  },
  { ...inAccount, service: 'DynamoDB', name: 'tables', limit: 2_500, counts: all('AWS::DynamoDB::Table') },
  { ...inAccount, service: 'KMS', name: 'keys', limit: 100_000, counts: all('AWS::KMS::Key') },
  { ...inAccount, service: 'S3', name: 'buckets', limit: 10_000, counts: all('AWS::S3::Bucket') },
  { ...inAccount, service: 'CloudWatch', name: 'alarms', limit: 5_000, counts: alarms },
  {
    ...each,
    service: 'CloudWatch',
    name: 'widgets of a dashboard',
    limit: 500,
    counts: ofEach('AWS::CloudWatch::Dashboard', (board) =>
      occurrences(propertyOf(board, 'DashboardBody'), '\\"type\\":'),
    ),
  },
  {
    ...inAccount,
    service: 'CloudWatch Logs',
    name: 'log groups',
    limit: 1_000_000,
    counts: all('AWS::Logs::LogGroup'),
  },
  {
    ...each,
    service: 'CloudWatch Logs',
    name: 'subscriptions of a log group',
    limit: 2,
    usableShare: 1,
    counts: (part) =>
      [...filtersByLogGroup(part)].map(([name, filters]) => ({
        at: `${part.file}: ${name}`,
        used: filters.length,
      })),
  },
  {
    service: 'SNS',
    name: 'subscriptions of a topic',
    limit: 12_500_000,
    isAdjustable: true,
    scope: 'tenant',
    counts: all('AWS::SNS::Subscription'),
  },
  {
    service: 'Cognito',
    name: 'identity providers of a user pool',
    limit: 300,
    isAdjustable: true,
    scope: 'tenant',
    counts: all('AWS::Cognito::UserPoolIdentityProvider'),
  },
  {
    ...inAccount,
    service: 'Cognito',
    name: 'user pools',
    limit: 1_000,
    counts: all('AWS::Cognito::UserPool'),
  },
  { ...inAccount, service: 'WAF', name: 'web ACLs', limit: 100, counts: all('AWS::WAFv2::WebACL') },
  {
    ...inAccount,
    service: 'ACM',
    name: 'certificates',
    limit: 2_500,
    counts: all('AWS::CertificateManager::Certificate'),
  },
  {
    ...inAccount,
    service: 'X-Ray',
    name: 'sampling rules',
    limit: 25,
    counts: all('AWS::XRay::SamplingRule'),
  },
  {
    ...inAccount,
    service: 'EventBridge Scheduler',
    name: 'schedules',
    limit: 1_000_000,
    counts: all('AWS::Scheduler::Schedule'),
  },
];

function alarms(part: Part): readonly Count[] {
  return ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) => all(type)(part));
}

const permissionsByFunction = (part: Part) =>
  Map.groupBy(eachOf(part, 'AWS::Lambda::Permission'), ([, { Properties }]) =>
    JSON.stringify(propertyOf(Properties, 'FunctionName')),
  );

const filtersByLogGroup = (part: Part) =>
  Map.groupBy(eachOf(part, 'AWS::Logs::SubscriptionFilter'), ([, { Properties }]) =>
    JSON.stringify(propertyOf(Properties, 'LogGroupName')),
  );

const occurrences = (value: unknown, text: string): number =>
  JSON.stringify(value ?? '').split(text).length - 1;
