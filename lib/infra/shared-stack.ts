// The settings of an account and region that its tenants share: the role with which API Gateway writes access
// logs.
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * There is one such setting for an account and region, so the stacks of tenants would overwrite each other's.
 */
export class SharedStack extends Stack {
  constructor(scope: Construct, id: string, options: StackProps) {
    super(scope, id, options);
    const role = new Role(this, 'GatewayLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    });
    // The setting remains if the stack is deleted: without the role, all APIs of the account would stop
    // logging.
    role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    new CfnAccount(this, 'GatewayAccount', { cloudWatchRoleArn: role.roleArn }).applyRemovalPolicy(
      RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    );
  }
}
