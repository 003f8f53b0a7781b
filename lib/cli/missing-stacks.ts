// Which stacks of a tenant a deployment has to create.
import { storageStackName, tenantStackName } from '#lib/infra/stack-names.ts';
import { refuseOtherStorage } from '#lib/infra/storage-guard.ts';
import type { Tenant } from '#lib/infra/tenant.ts';
import { isDeployed } from './stack-outputs.ts';

interface MissingStacks {
  /** The names of those that were never deployed, or are gone. */
  readonly missing: readonly string[];
  /**
   * Where a stack that was removed has left its tables in one of their own, and the tenant file no longer says so: the
   * service would begin with new and empty ones.
   */
  readonly refusal?: string;
}

export async function findMissingStacks(tenant: Tenant): Promise<MissingStacks> {
  const [storage, stack] = [storageStackName(tenant.id), tenantStackName(tenant.id)];
  const [hasStorage, hasStack] = await Promise.all([isDeployed(storage), isDeployed(stack)]);
  const missing = [...(tenant.storageStack && !hasStorage ? [storage] : []), ...(hasStack ? [] : [stack])];
  const isLeft = hasStorage && !tenant.storageStack;
  return { missing, ...(isLeft && { refusal: refuseOtherStorage(tenant, storage) }) };
}
