// The log groups of the gateway and of functions, and their names. Policies name log groups of other stacks, which they
// cannot refer to; AWS does not document which names CloudFormation would invent (docs/decisions/0084-names-in-policies.md).
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Aws, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { stackSuffix } from './stack-suffix.ts';
import type { Tenant } from './tenant.ts';

/**
 * Logs outlive their stack, since they may be needed to find out why it was deleted. So the name ends with the suffix of
 * the stack: the log group of a stack that was deleted is not in the way of the next one.
 */
export const addLogGroup = (scope: Construct, writer: string, { id, logRetentionDays }: Tenant): LogGroup =>
  new LogGroup(scope, `${writer}Logs`, {
    logGroupName: `/agent-flow/${id}/${writer}/${stackSuffix()}`,
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });

/** Matches the log groups of a function, of whichever stack, and their streams. Ids of tenants have no slash. */
export const logGroupsOf = (tenantId: string, writer: string): string =>
  `${anyLogGroup}/agent-flow/${tenantId}/${writer}/*`;

/** Matches all log groups of the tenant that are made in the stack in which it is used. */
export const logGroupsOfStack = (tenantId: string): string =>
  `${anyLogGroup}/agent-flow/${tenantId}/*/${stackSuffix()}:*`;

const anyLogGroup = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:`;
