// The context with which `npm run deploy` synthesizes a tenant that was never deployed.

/** The key of the context; its value is the id of the tenant. See `isFirst` of the options of `TenantStack`. */
export const firstDeployment = 'agent-flow:first-deployment';
