// The first address of a tenant, which cards, webhooks and clients have, stays unless the operator says otherwise.
import type { Stack } from 'aws-cdk-lib/core';
import { domainsOf } from './addresses.ts';
import { keepValue } from './kept-value.ts';
import { tenantStackName } from './stack-names.ts';
import type { Tenant } from './tenant.ts';

const parameterName = 'Address';

/** The first address in one word. A stage has no dot in its name, and each domain has one. */
const firstAddress = (tenant: Tenant): string => domainsOf(tenant)[0]?.domainName ?? tenant.stageName;

/** Says that the first address may be that of the file: the value of `--parameters` of the CDK. */
export const acceptedAddress = (tenant: Tenant): string =>
  `${tenantStackName(tenant.id)}:${parameterName}=${firstAddress(tenant)}`;

export function guardAddress(stack: Stack, tenant: Tenant): void {
  const address = firstAddress(tenant);
  keepValue(stack, {
    name: parameterName,
    value: address,
    description: 'The domain, or the stage at API Gateway, that cards, webhooks and clients have',
    refusal: [
      `The first address of the tenant would become ${address}, and Agent Cards, webhooks and clients have another one.`,
      `Deploy with: npm run deploy -- ${tenant.id}. It checks that the other one stays on (docs/operations.md, "Change the address").`,
      `Without that check: --parameters ${acceptedAddress(tenant)}`,
    ].join(' '),
  });
}
