// The names of the stacks of a tenant.

export const tenantStackName = (tenantId: string): string => `AgentFlow-${tenantId}`;

/** Ids of tenants have no upper-case letters, so no tenant has a stack of this name. */
export const storageStackName = (tenantId: string): string => `${tenantStackName(tenantId)}-Storage`;
