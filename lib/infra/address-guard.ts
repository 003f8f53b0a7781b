// CloudFormation itself refuses a deployment that changes the first address of a tenant unasked, whoever deploys
// (docs/decisions/0090-address-guard.md). Synthesis does not see the stack; a parameter keeps what it was deployed with.
import { CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib/core';
import { domainsOf } from './addresses.ts';
import type { Tenant } from './tenant.ts';

const parameterName = 'Address';

/** The first address in one word. A stage has no dot in its name, and each domain has one. */
const firstAddress = (tenant: Tenant): string => domainsOf(tenant)[0]?.domainName ?? tenant.stageName;

/** Says that the first address may be that of the file: the value of `--parameters` of the CDK. */
export const acceptedAddress = (tenant: Tenant): string =>
  `AgentFlow-${tenant.id}:${parameterName}=${firstAddress(tenant)}`;

/**
 * An update keeps the value of a parameter unless it is given another one, so the value is the first address of the
 * last deployment. A stack from before the parameter takes the default, as a new one does.
 */
export function guardAddress(stack: Stack, tenant: Tenant): void {
  const address = firstAddress(tenant);
  const deployed = new CfnParameter(stack, parameterName, {
    default: address,
    description: 'The domain, or the stage at API Gateway, that cards, webhooks and clients have',
  });
  new CfnRule(stack, 'AddressStays', {
    assertions: [
      {
        assert: Fn.conditionEquals(deployed, address),
        assertDescription: [
          `The first address of the tenant would become ${address}, and Agent Cards, webhooks and clients have another one.`,
          `Deploy with: npm run deploy -- ${tenant.id}. It checks that the other one stays on (docs/operations.md, "Change the address").`,
          `Without that check: --parameters ${acceptedAddress(tenant)}`,
        ].join(' '),
      },
    ],
  });
}
