// The app as it deploys, but with stub bundles, and ways to look into its templates.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib/core';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import * as z from 'zod';
import { addStacks, newApp, templatesOnly } from '#lib/infra/app.ts';
import { flatTenantTemplate } from '#lib/infra/flat-template.ts';
import { type Deployment, readDeployments } from '#lib/infra/quota-check.ts';
import type { Template } from '#lib/infra/template.ts';
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

/** With all that a tenant file can ask for. */
export function fullTenant(): Tenant {
  const region = 'eu-central-1';
  return tenantLike({
    id: 'full',
    region,
    alarmEmail: 'ops@example.com',
    customDomain: {
      domainName: 'agents.example.com',
      certificateArn: `arn:aws:acm:${region}:111122223333:certificate/1`,
    },
    models: {
      default: { provider: 'bedrock', model: 'eu.amazon.nova-lite-v1:0' },
      keyed: {
        provider: 'openai-compatible',
        base_url: 'https://models.example.com/v1',
        model: 'm',
        api_key_ref: 'MODEL_KEY_ONE',
      },
    },
    browserOrigins: ['https://app.example.com', 'https://admin.example.com'],
    rootAgent: 'support-triage',
    connectorSearchTools: true,
    catalog: { publisher: 'example.com', name: 'Example' },
    signIn: {
      cognito: {
        customDomain: {
          domainName: 'sign-in.example.com',
          certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/2',
        },
        emailSender: {
          from: 'Example <sign-in@example.com>',
          sourceArn: `arn:aws:ses:${region}:111122223333:identity/example.com`,
        },
        federation: [
          { type: 'google', clientId: 'google', clientSecretRef: 'google' },
          {
            type: 'microsoft',
            directoryId: '11111111-2222-3333-4444-555555555555',
            clientId: 'microsoft',
            clientSecretRef: 'microsoft',
            emailDomains: ['example.com'],
          },
          { type: 'saml', name: 'Okta', metadataUrl: 'https://id.example.com/metadata' },
          {
            type: 'oidc',
            name: 'Keycloak',
            issuer: 'https://id.example.com',
            clientId: 'keycloak',
            clientSecretRef: 'keycloak',
          },
        ],
      },
    },
  });
}

/** With what costs something in addition, too. */
export const everySetting = (): Tenant =>
  parseTenant(
    {
      ...fullTenant(),
      firewall: {},
      callerConcurrency: 5,
      customDomain: {
        domainName: 'agents.example.com',
        hostedZone: { id: 'Z0123456789ABC', name: 'example.com' },
      },
      traceSampling: { perSecond: 1, share: 0.01 },
    },
    'test',
  );

/** Hands an app that is not synthesized yet to `use`, and removes what it leaves on disk. `context` is that of `--context`. */
export function withApp<T>(
  tenants: readonly Tenant[],
  use: (app: App) => T,
  context: Readonly<Record<string, string>> = {},
): T {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-infra-'));
  try {
    const stub = join(folder, 'stub');
    mkdirSync(stub);
    writeFileSync(join(stub, 'index.mjs'), '');
    const app = newApp({
      ...templatesOnly,
      outdir: join(folder, 'out'),
      context: { ...templatesOnly.context, ...context },
    });
    addStacks(app, tenants, () => stub);
    return use(app);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a tenant deploys: its stack, those nested in it and that of its storage as one template. */
export const deployedTemplate = (tenant: Tenant = tenantLike()): Template => deployed(tenant).template;

/** The templates that a tenant deploys, as they are uploaded: [file, text], its own stack first. */
export const deployedFiles = (tenant: Tenant = tenantLike()): Deployed['files'] => deployed(tenant).files;

interface Deployed {
  readonly template: Template;
  readonly files: readonly (readonly [string, string])[];
}

/** Files of tests share what is synthesized for the same tenant. */
function deployed(tenant: Tenant): Deployed {
  const key = JSON.stringify(tenant);
  const found = synthesized.get(key) ?? withApp([tenant], (app) => readDeployed(app.synth(), tenant));
  synthesized.set(key, found);
  return found;
}

const synthesized = new Map<string, Deployed>();

function readDeployed(assembly: CloudAssembly, { id }: Tenant): Deployed {
  const { directory } = assembly;
  const files = readdirSync(directory).filter((file) => /^AgentFlow(?!-Shared).*template\.json$/.test(file));
  return {
    template: flatTenantTemplate(directory, id),
    files: files.sort().map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  };
}

/** What is deployed for a tenant, and for the account that it shares with others. */
export const deployments = (tenant: Tenant): readonly Deployment[] =>
  withApp([tenant], (app) => readDeployments(app.synth()));

/** Logical id and properties of each resource of a type. */
export function ofType({ Resources }: Template, type: string): readonly (readonly [string, Properties])[] {
  return Object.entries(Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([id, { Properties = {} }]) => [id, Properties] as const);
}

/** A resource or value as a reader would call it, without the eight digits that CDK adds to an id. */
export function named(value: unknown): string {
  if (typeof value === 'string') return value;
  const reference = at(value, 'Ref') ?? at(value, 'Fn::GetAtt.0');
  if (reference !== undefined) return String(reference).replace(/[0-9A-F]{8}$/, '');
  return z
    .tuple([z.literal(''), z.array(z.unknown())])
    .parse(at(value, 'Fn::Join'))[1]
    .map(named)
    .join('');
}

/** The value at a path such as `Integration.Uri`; undefined where it leads nowhere. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce(step, value);
}

function step(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
