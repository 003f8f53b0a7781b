// What holds the data of a tenant stays in the stack in which it is. With it in another one, the service would begin with
// empty tables and new keys, beside those that it leaves.
import type { Stack } from 'aws-cdk-lib/core';
import { keepValue } from './kept-value.ts';
import { storageStackName, tenantStackName } from './stack-names.ts';
import type { Tenant } from './tenant.ts';

/** The name of the stack with the tables, keys, bucket and user pool. */
const nameStorage = ({ id, storageStack }: Tenant): string =>
  storageStack ? storageStackName(id) : tenantStackName(id);

export function guardStorage(stack: Stack, tenant: Tenant): void {
  const name = nameStorage(tenant);
  keepValue(stack, {
    name: 'Storage',
    value: name,
    description: 'The stack with the tables, keys, bucket and user pool of the tenant',
    refusal: `The service would use new and empty tables of the stack ${name}. ${adviseStorage(tenant)}`,
  });
}

/**
 * Why the file must not be deployed over a stack with these outputs; undefined if nothing speaks against it. For stacks
 * from before the rule, too.
 */
export function refuseStorage(
  tenant: Tenant,
  deployed: { readonly ControlTableName?: string; readonly StorageStackName?: string },
): string | undefined {
  const { ControlTableName, StorageStackName = tenantStackName(tenant.id) } = deployed;
  if (ControlTableName === undefined || StorageStackName === nameStorage(tenant)) return undefined;
  return refuseOtherStorage(tenant, StorageStackName);
}

/** Why the file must not be deployed while that other stack has the tables. */
export const refuseOtherStorage = (tenant: Tenant, stackName: string): string =>
  `The tables and keys of the tenant are in the stack ${stackName}, and the service would use new and empty ones. ${adviseStorage(tenant)}`;

function adviseStorage({ id, storageStack }: Tenant): string {
  const cure = storageStack ? 'Remove "storageStack" from' : 'Put "storageStack": true into';
  return `${cure} tenants/${id}.json: a tenant keeps what it was created with (docs/operations.md, "Storage in a stack of its own").`;
}
