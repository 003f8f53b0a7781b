import { describe, expect, it } from 'vitest';
import { servedAddresses } from '#lib/http/route.ts';
import { leaveOutIgnored } from '#lib/infra/sam-ignored.ts';
import { samTemplate } from '#lib/infra/sam-template.ts';
import { routeList } from '#lib/routes/routes.ts';
import { at, deployedTemplate, ofType } from './demo-app.ts';

const deployed = deployedTemplate();
const environment = {
  TENANT_ID: 'local',
  GATEWAY_URL: 'http://127.0.0.1:3000',
  RUN_QUEUE_URL: 'http://127.0.0.1:4566/000000000000/RunQueue',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
  AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:4566',
  AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:4599',
  AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:4572',
  AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:4574',
  AWS_ACCESS_KEY_ID: 'local',
};
const before = structuredClone(deployed);
const sam = samTemplate(deployed, { architecture: 'x86_64', environment, host: 'host.docker.internal' });
const functions = ofType(sam, 'AWS::Lambda::Function');
const methods = ofType(sam, 'AWS::ApiGateway::Method').map(([, properties]) => properties);

function findFunction(entry: string) {
  return functions.find(
    ([id]) => sam.Resources[id]?.Metadata?.['agentflow:entry'] === `functions/${entry}.ts`,
  )?.[1];
}

describe('the template for `sam local`', () => {
  it.each(functions)(
    '%s runs on the architecture of this machine and uses its local engines',
    (_, properties) => {
      expect(properties.Architectures).toEqual(['x86_64']);
      expect(at(properties, 'Environment.Variables')).toMatchObject({
        TENANT_ID: 'local',
        AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8000',
        AWS_ENDPOINT_URL_SQS: 'http://host.docker.internal:4566',
        AWS_ENDPOINT_URL_KMS: 'http://host.docker.internal:4599',
        AWS_ENDPOINT_URL_S3: 'http://host.docker.internal:4572',
        AWS_ENDPOINT_URL_LAMBDA: 'http://host.docker.internal:4574',
      });
    },
  );

  it.each(functions)('%s names its bundle, which `sam` reads instead of the bucket', (id) => {
    expect(sam.Resources[id]?.Metadata).toMatchObject({
      'aws:asset:path': expect.any(String),
      'aws:asset:property': 'Code',
    });
  });

  it('sets only endpoints and variables that the function already has', () => {
    const health = Object(at(findFunction('meta/health'), 'Environment.Variables'));
    expect(health).not.toHaveProperty('RUN_QUEUE_URL');
    expect(health).not.toHaveProperty('AWS_ACCESS_KEY_ID');
  });

  it('makes queue URLs reachable from a container, and does not change the URL of the service', () => {
    const variables = at(findFunction('trigger/accept-webhook'), 'Environment.Variables');
    expect(at(variables, 'RUN_QUEUE_URL')).toBe('http://host.docker.internal:4566/000000000000/RunQueue');
    expect(at(variables, 'GATEWAY_URL')).toBe('http://127.0.0.1:3000');
  });

  it.each(routeList)('%s returns a buffered response', (_, { entry, transfer }) => {
    expect(findFunction(entry)?.Handler).toBe(transfer === 'stream' ? 'index.buffered' : 'index.handler');
  });

  it('has only buffered integrations', () => {
    const invoking = methods.filter(({ Integration }) => at(Integration, 'Type') !== 'MOCK');
    expect(invoking).toHaveLength(
      routeList.flatMap(([, route]) => servedAddresses(route).flatMap(({ methods: own }) => own)).length,
    );
    for (const { Integration } of invoking) {
      expect(Integration).not.toHaveProperty('ResponseTransferMode');
      expect(JSON.stringify(Integration)).toMatch(/lambda:path\/2015-03-31\/functions\/.*\/invocations"/);
    }
  });

  it('does not change the deployed template', () => {
    expect(deployed).toEqual(before);
  });

  it('without a local host has no endpoints and the variables of the deployed template', () => {
    const alone = samTemplate(deployed, {
      architecture: 'arm64',
      environment: {},
      host: 'host.docker.internal',
    });
    for (const [id, properties] of ofType(alone, 'AWS::Lambda::Function')) {
      expect(properties.Environment).toEqual(at(deployed.Resources[id], 'Properties.Environment'));
    }
  });
});

describe('the reduced template', () => {
  const { template, ignored } = leaveOutIgnored(sam);

  it('has all functions and the whole API, and counts what it leaves out', () => {
    for (const type of ['AWS::Lambda::Function', 'AWS::ApiGateway::Method', 'AWS::ApiGateway::Resource'])
      expect(ofType(template, type)).toHaveLength(ofType(sam, type).length);
    expect(ignored.get('AWS::IAM::Role')).toBe(ofType(sam, 'AWS::IAM::Role').length);
    const count = [...ignored.values()].reduce((sum, each) => sum + each, 0);
    expect(Object.keys(template.Resources)).toHaveLength(Object.keys(sam.Resources).length - count);
  });

  it('refers only to what it has, and names no path of a construct, of which SAM would warn', () => {
    const text = JSON.stringify(template);
    const referred = [...text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"/g)].map(([, id]) => id ?? '');
    const missing = referred.filter((id) => !id.startsWith('AWS::') && !(id in template.Resources));
    expect(missing).toEqual([]);
    expect(text).not.toContain('aws:cdk:path');
  });

  it('keeps the environment of functions, but for references to what it leaves out', () => {
    const table = ofType(sam, 'AWS::DynamoDB::Table').map(([id]) => id);
    const listing = findFunction('registry/list');
    const [id] = functions.find(([, properties]) => properties === listing) ?? ['none'];
    expect(table).toContain(at(template.Resources[id], 'Properties.Environment.Variables.CONTROL_TABLE'));
  });

  it('has what `sam validate --lint` asks for: a role of each function, and no dependency that a reference implies', () => {
    const made = ofType(template, 'AWS::Lambda::Function');
    for (const [id, { Role }] of made) expect(Role, id).toMatch(/^arn:aws:iam::\d{12}:role\//);
    expect(Object.values(template.Resources).filter(({ DependsOn }) => DependsOn)).toEqual([]);
  });
});
