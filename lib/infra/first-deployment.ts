// The context with which `npm run deploy` synthesizes stacks that were never deployed.
import type { App } from 'aws-cdk-lib/core';

/** The key of the context; its value is the names of these stacks, with commas. */
export const firstDeployment = 'agent-flow:first-deployment';

/** See `isFirst` of the options of `TenantStack`. */
export const firstDeployments = (app: App): ReadonlySet<string> =>
  new Set(String(app.node.tryGetContext(firstDeployment) ?? '').split(','));
