// The log groups of the gateway and of functions.
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Tenant } from './tenant.ts';

/** Logs outlive their stack, since they may be needed to find out why it was deleted. */
export const addLogGroup = (scope: Construct, id: string, { logRetentionDays }: Tenant): LogGroup =>
  new LogGroup(scope, id, {
    retention: logRetentionDays,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
