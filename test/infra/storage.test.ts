// What holds the data of a tenant, in a stack of its own: what is in it, what the other stack may refer to, and that neither
// a deployment nor an operator takes the tables of a tenant for those of another stack by mistake.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { refuseStorage } from '#lib/infra/storage-guard.ts';
import { template as readTemplate, type Template } from '#lib/infra/template.ts';
import type { Tenant, TenantInput } from '#lib/infra/tenant.ts';
import { at, deployedFiles, deployedTemplate, everySetting, fullTenant, tenantLike } from './demo-app.ts';

const inOne = fullTenant();
const inTwo: Tenant = { ...inOne, storageStack: true };
/** With all that can be used in place of what the stack holds. */
const replaced: Tenant = {
  ...everySetting(),
  storageStack: true,
  tables: { control: 'restored-control', runs: 'restored-runs' },
  signingKeys: ['arn:aws:kms:eu-central-1:111122223333:key/2'],
  gradualUpdates: true,
  functionRoles: 'own',
};
const fileOf = (tenant: Tenant, name: string): string =>
  deployedFiles(tenant).find(([file]) => file === `${name}.template.json`)?.[1] ?? '';
const storageOf = (tenant: Tenant): string => fileOf(tenant, `AgentFlow-${tenant.id}-Storage`);
const others = (tenant: Tenant): readonly string[] =>
  deployedFiles(tenant)
    .filter(([file]) => !file.includes('-Storage'))
    .map(([, text]) => text);
const typesIn = (text: string): string[] =>
  Object.values(readTemplate.parse(JSON.parse(text)).Resources).map(({ Type }) => Type);

describe('the stack of storage', () => {
  it('has the tables, keys, bucket and user pool, and no other stack of the tenant has any', () => {
    const held = typesIn(storageOf(inTwo)).sort();
    expect(held).toEqual([
      'AWS::Cognito::UserPool',
      'AWS::Cognito::UserPoolDomain',
      'AWS::DynamoDB::Table',
      'AWS::DynamoDB::Table',
      'AWS::KMS::Key',
      'AWS::KMS::Key',
      'AWS::KMS::Key',
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
    ]);
    expect(
      others(inTwo)
        .flatMap(typesIn)
        .filter((type) => held.includes(type)),
    ).toEqual([]);
  });

  it('is not made unless the tenant file asks for it', () => {
    expect(storageOf(inOne)).toBe('');
    expect(others(inOne).join()).not.toContain('Fn::ImportValue');
  });

  it('changes nothing of what is deployed as a whole', () => {
    expect(withoutMetadata(deployedTemplate(inTwo))).toEqual(withoutMetadata(deployedTemplate(inOne)));
  });

  it('exports the same, whatever else is in the tenant file, since an export in use cannot be removed', () => {
    const names = exportsOf(inTwo);
    expect(names.length).toBeGreaterThan(10);
    expect(exportsOf(replaced)).toEqual(names);
    expect(exportsOf({ ...inOne, signIn: undefined, storageStack: true })).toEqual(
      names.filter((name) => !name.includes('UserPool')),
    );
  });
});

/** It has paths of constructs. */
const withoutMetadata = ({ Resources }: Template) =>
  Object.fromEntries(
    Object.entries(Resources).map(([id, { Metadata: _, ...resource }]) => [id, resource] as const),
  );

const exportsOf = (tenant: Tenant): string[] =>
  [...storageOf(tenant).matchAll(/"Export": ?\{\s*"Name": ?"([^"]+)"/g)].map(([, name = '']) => name).sort();

const rule = z.object({
  Parameters: z.object({ Storage: z.object({ Default: z.string() }) }),
  Rules: z.object({
    StorageStays: z.object({
      Assertions: z.tuple([
        z.object({
          Assert: z.object({ 'Fn::Equals': z.tuple([z.object({ Ref: z.literal('Storage') }), z.string()]) }),
          AssertDescription: z.string(),
        }),
      ]),
    }),
  }),
});

/** What CloudFormation checks before an update, with the value that the stack keeps; a new stack has the default. */
function check(template: Template, kept?: string): string {
  const { Parameters, Rules } = rule.parse(template);
  const [{ Assert, AssertDescription }] = Rules.StorageStays.Assertions;
  const value = kept ?? Parameters.Storage.Default;
  return value === Assert['Fn::Equals'][1] ? value : AssertDescription;
}

describe('a tenant keeps its data where it is', () => {
  it('by a rule of the template, which names the field and what to do', () => {
    const [own, shared] = [deployedTemplate(inTwo), deployedTemplate(inOne)];
    expect(check(own, check(own))).toBe('AgentFlow-full-Storage');
    expect(check(shared, check(shared))).toBe('AgentFlow-full');
    expect(check(own, 'AgentFlow-full')).toMatch(
      /empty tables.*Remove "storageStack" from tenants\/full\.json/,
    );
    expect(check(shared, 'AgentFlow-full-Storage')).toMatch(
      /Put "storageStack": true into tenants\/full\.json/,
    );
  });

  const ControlTableName = 'AgentFlow-demo-ControlTable';
  const StorageStackName = 'AgentFlow-demo-Storage';
  it.each<[string, Partial<TenantInput>, object, RegExp | undefined]>([
    ['a stack that has no tables yet', { storageStack: true }, {}, undefined],
    ['its own tables', {}, { ControlTableName }, undefined],
    ['those of the other stack', { storageStack: true }, { ControlTableName, StorageStackName }, undefined],
    [
      'tables that would be left',
      { storageStack: true },
      { ControlTableName },
      /in the stack AgentFlow-demo, .*Remove/,
    ],
    [
      'those of a stack that it no longer names',
      {},
      { ControlTableName, StorageStackName },
      /-Storage, .*Put/,
    ],
  ])('by `npm run deploy`, over %s', (_, member, outputs, refusal) => {
    const found = refuseStorage(tenantLike(member), outputs);
    if (refusal) expect(found).toMatch(refusal);
    else expect(found).toBeUndefined();
  });

  it('and outputs name the stack that holds it', () => {
    expect(at(deployedTemplate(inTwo).Outputs, 'StorageStackName.Value')).toBe('AgentFlow-full-Storage');
    expect(deployedTemplate(inOne).Outputs).not.toHaveProperty('StorageStackName');
  });
});
