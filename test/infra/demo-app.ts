// The app as it deploys, but with stub bundles, and ways to look into its templates.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib/core';
import { addStacks, newApp } from '#lib/infra/app.ts';
import { type Template, template } from '#lib/infra/template.ts';
import { parseTenant, type Tenant, type TenantInput } from '#lib/infra/tenant.ts';

export type Properties = Readonly<Record<string, unknown>>;

const demo: TenantInput = {
  id: 'demo',
  models: { default: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' } },
  modelDefault: 'default',
};

export function tenantLike(overrides: Partial<TenantInput> = {}): Tenant {
  return parseTenant({ ...demo, ...overrides }, 'test');
}

/** Hands an app that is not synthesized yet to `use`, and removes what it leaves on disk. */
export function withApp<T>(tenants: readonly Tenant[], use: (app: App) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-infra-'));
  try {
    const stub = join(folder, 'stub');
    mkdirSync(stub);
    writeFileSync(join(stub, 'index.mjs'), '');
    const app = newApp({
      outdir: join(folder, 'out'),
      context: { 'aws:cdk:disable-asset-staging': true },
      builtinCloudFormationValidation: false,
    });
    addStacks(app, tenants, () => stub);
    return use(app);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The template that a tenant's stack deploys. */
export function deployedTemplate(tenant: Tenant = tenantLike()): Template {
  return withApp([tenant], (app) =>
    template.parse(app.synth().getStackByName(`AgentFlow-${tenant.id}`).template),
  );
}

/** Logical id and properties of each resource of a type. */
export function ofType({ Resources }: Template, type: string): readonly (readonly [string, Properties])[] {
  return Object.entries(Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id, { Properties = {} }]) => [id, Properties] as const);
}

/** The value at a path such as `Integration.Uri`; undefined where it leads nowhere. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce(step, value);
}

function step(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
