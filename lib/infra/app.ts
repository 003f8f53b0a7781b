// The CDK app: the shared stack of each environment and the stack of each tenant in it.
import { readFileSync } from 'node:fs';
import { App, type AppProps, type Environment, type StackProps } from 'aws-cdk-lib/core';
import * as z from 'zod';
import { firstDeployments } from './first-deployment.ts';
import { SharedStack } from './shared-stack.ts';
import { storageStackName, tenantStackName } from './stack-names.ts';
import { StorageStack } from './storage.ts';
import { sharedTags, tenantTags } from './tags.ts';
import type { Tenant } from './tenant.ts';
import { TenantStack, type TenantStackOptions } from './tenant-stack.ts';

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()) });

/**
 * The CDK CLI sets these too. They add the path of its bundle and of its construct to the metadata of a
 * resource.
 */
const metadata = { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };

/** Leaves out what no template has, and what a third of a synth goes into: where each construct was made, and for whom. */
export const templatesOnly = {
  context: {
    'aws:cdk:disable-asset-staging': true,
    'aws:cdk:disable-creation-stack-traces': true,
    'aws:cdk:disable-logicalId-metadata': true,
    '@aws-cdk/core:enableAdditionalMetadataCollection': false,
  },
  // The validation takes half the time of a synth; deployments have it on.
  builtinCloudFormationValidation: false,
  stackTraces: false,
  treeMetadata: false,
} satisfies AppProps;

/**
 * Uses the context of cdk.json, so that the CLI, the local host and the tests synthesize the same templates.
 */
export function newApp(options: AppProps = {}): App {
  const file = new URL('../../cdk.json', import.meta.url);
  const { context } = cdkJson.parse(JSON.parse(readFileSync(file, 'utf8')));
  return new App({
    analyticsReporting: false,
    ...options,
    context: { ...context, ...metadata, ...options.context },
  });
}

export function addStacks(app: App, tenants: readonly Tenant[], bundle: TenantStackOptions['bundle']): void {
  const shared = new Map<string, SharedStack>();
  for (const tenant of tenants) {
    const env = toEnvironment(tenant);
    const sharedId = ['AgentFlow-Shared', env.account, env.region].filter(Boolean).join('-');
    const stack = shared.get(sharedId) ?? new SharedStack(app, sharedId, { env, tags: sharedTags });
    shared.set(sharedId, stack);
    const props = { env, tags: tenantTags(tenant) };
    const storage = addStorageStack(app, tenant, props);
    const name = tenantStackName(tenant.id);
    const isFirst = firstDeployments(app).has(name);
    new TenantStack(app, name, { ...props, ...storage, tenant, bundle, isFirst }).addStackDependency(stack);
  }
}

function addStorageStack(app: App, tenant: Tenant, props: StackProps): Pick<TenantStackOptions, 'storage'> {
  if (!tenant.storageStack) return {};
  const name = storageStackName(tenant.id);
  const isProtected = !firstDeployments(app).has(name);
  return { storage: new StorageStack(app, name, { ...props, tenant, isProtected }).storage };
}

/** If a tenant has no account or region, the credentials of the deployment determine them. */
function toEnvironment({ account, region }: Tenant): Environment {
  return { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
}
