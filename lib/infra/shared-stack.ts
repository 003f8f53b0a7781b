// What an account and region has once, whoever its tenants are: the role with which API Gateway writes access logs.
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** If each tenant's API brought this setting along, the tenants would overwrite each other's. */
export class SharedStack extends Stack {
  constructor(scope: Construct, id: string, options: StackProps) {
    super(scope, id, options);
    const role = new Role(this, 'GatewayLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    });
    // The setting outlives the stack: without its role, every API of the account would stop logging.
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    new CfnAccount(this, 'GatewayAccount', { cloudWatchRoleArn: role.roleArn }).applyRemovalPolicy(
      RemovalPolicy.RETAIN,
    );
  }
}
