// How many requests of a tenant X-Ray traces. By default its own rule applies to all tenants of an account together:
// the first request of a second, and 5 % of the others.
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import { Aws } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { extraStage } from './addresses.ts';
import type { Tenant } from './tenant.ts';

/** Before the rule of X-Ray, which has the last number. Rules of tenants never match the same request. */
const priority = 1_000;

/** The gateway decides for a request, and functions follow it. */
export function addTraceSampling(scope: Construct, api: RestApi, tenant: Tenant): void {
  const { id, traceSampling } = tenant;
  if (!traceSampling) return;
  const stages = extraStage(tenant) === undefined ? tenant.stageName : '*';
  new CfnSamplingRule(scope, 'TraceSampling', {
    samplingRule: {
      // At most 32 characters, of which the id of a tenant can have 30.
      ruleName: `t-${id}`,
      version: 1,
      priority,
      reservoirSize: traceSampling.perSecond,
      fixedRate: traceSampling.share,
      resourceArn: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${api.restApiId}/stages/${stages}`,
      serviceType: '*',
      serviceName: '*',
      host: '*',
      httpMethod: '*',
      urlPath: '*',
    },
  });
}
