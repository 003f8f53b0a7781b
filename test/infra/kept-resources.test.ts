// What holds data or gives the service its address: what becomes of it when a deployment fails or the stack is deleted,
// and that no update replaces it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { firstDeployment } from '#lib/infra/first-deployment.ts';
import type { Template } from '#lib/infra/template.ts';
import type { Tenant } from '#lib/infra/tenant.ts';
import { deployedTemplate, fullTenant, ofType, tenantLike, withApp } from './demo-app.ts';

/**
 * Properties whose change makes CloudFormation replace the resource, or fail, by its reference. A logical id that is
 * missing in a template deletes its resource.
 */
const lasting: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': [
    'TableName',
    'KeySchema',
    'AttributeDefinitions',
    'GlobalSecondaryIndexes',
    'LocalSecondaryIndexes',
  ],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::ApiGateway::Stage': ['RestApiId', 'StageName'],
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::Cognito::UserPool': ['UsernameAttributes', 'UsernameConfiguration', 'AliasAttributes', 'Schema'],
  'AWS::Cognito::UserPoolClient': ['ClientName', 'GenerateSecret', 'UserPoolId'],
  'AWS::Cognito::UserPoolDomain': ['Domain', 'UserPoolId'],
};

const full = deployedTemplate(fullTenant());
const withStorage: Tenant = { ...fullTenant(), storageStack: true };

describe('an update from the last release', () => {
  const file = new URL('released-resources.json', import.meta.url);
  const released = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
  const now = Object.fromEntries(lastingResources(full));

  it.each(Object.keys(released))('does not replace or delete %s', (id) => {
    expect(now[id]).toEqual(released[id]);
  });

  it('is compared with all that should last: add what is new to released-resources.json', () => {
    expect(Object.keys(now).filter((id) => !(id in released))).toEqual([]);
  });

  it('keeps to them in a stack of their own, too', () => {
    expect(Object.fromEntries(lastingResources(deployedTemplate(withStorage)))).toEqual(now);
  });

  it('does not depend on what the tenant file has in addition', () => {
    const plain = lastingResources(deployedTemplate());
    expect(plain.length).toBeGreaterThan(10);
    for (const [id, resource] of plain) expect(resource).toEqual(released[id]);
  });
});

function lastingResources({ Resources }: Template) {
  return Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const names = lasting[Type];
    if (!names) return [];
    const given = Object.entries(Properties).filter(([name]) => names.includes(name));
    return [[id, { Type, ...Object.fromEntries(given) }] as const];
  });
}

const kept = ['DynamoDB::Table', 'KMS::Key', 'S3::Bucket', 'Cognito::UserPool', 'Logs::LogGroup'];

describe.each(kept)('each %s', (type) => {
  const found = ofType(full, `AWS::${type}`);

  it('is deleted when the deployment that created it fails, and kept in all other cases', () => {
    expect(found.length).toBeGreaterThan(0);
    for (const [id] of found)
      expect(full.Resources[id], id).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
  });
});

describe('protection', () => {
  const tenants = [tenantLike(), fullTenant()];

  it('against deletion is on for each stack, each table and each user pool', () => {
    expect(tenants.map((tenant) => readProtection(tenant))).toEqual([
      { stacks: [true], tables: [true, true], pools: [] },
      { stacks: [true], tables: [true, true], pools: ['ACTIVE'] },
    ]);
    expect(readProtection(withStorage)).toEqual({
      stacks: [true, true],
      tables: [true, true],
      pools: ['ACTIVE'],
    });
  });

  it('is off for the first deployment, which a rollback and another attempt can delete', () => {
    const read = (tenant: Tenant) => readProtection(tenant, [`AgentFlow-${tenant.id}`]);
    expect(tenants.map(read)).toEqual([
      { stacks: [false], tables: [false, false], pools: [] },
      { stacks: [false], tables: [false, false], pools: ['INACTIVE'] },
    ]);
    expect(readProtection(withStorage, ['AgentFlow-full-Storage', 'AgentFlow-full'])).toEqual({
      stacks: [false, false],
      tables: [false, false],
      pools: ['INACTIVE'],
    });
  });

  it('of storage stays on while the stack that uses it is created again', () => {
    expect(readProtection(withStorage, ['AgentFlow-full'])).toEqual({
      stacks: [true, false],
      tables: [true, true],
      pools: ['ACTIVE'],
    });
  });

  it('of other tenants stays on while one is deployed for the first time', () => {
    expect(readProtection(tenantLike(), ['AgentFlow-full'])).toMatchObject({
      stacks: [true],
      tables: [true, true],
    });
  });
});

/** `first`: the stacks that are deployed for the first time. The stack of storage is read before that of the tenant. */
function readProtection(tenant: Tenant, first: readonly string[] = []) {
  return withApp(
    [tenant],
    (app) => {
      const stacks = app
        .synth()
        .stacks.filter(({ stackName }) => stackName.startsWith(`AgentFlow-${tenant.id}`));
      const read = (type: string, property: string) =>
        stacks.flatMap(({ template }) =>
          ofType(template, type).map(([, properties]) => properties[property]),
        );
      return {
        stacks: stacks.map(({ terminationProtection }) => terminationProtection),
        tables: read('AWS::DynamoDB::Table', 'DeletionProtectionEnabled'),
        pools: read('AWS::Cognito::UserPool', 'DeletionProtection'),
      };
    },
    { [firstDeployment]: first.join() },
  );
}
