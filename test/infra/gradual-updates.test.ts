// Updates that take over traffic step by step: which functions have them, and what undoes one.
import { describe, expect, it } from 'vitest';
import { samTemplate } from '#lib/infra/sam-template.ts';
import { at, deployedTemplate, named, ofType, tenantLike } from './demo-app.ts';

const made = deployedTemplate(tenantLike({ gradualUpdates: true }));
const plain = deployedTemplate();
const aliases = ofType(made, 'AWS::Lambda::Alias');
const names = ['CallAgent', 'CallConnector', 'CallLiveAgent', 'RunQueued', 'TriggerFlow'];

it('exist only where the tenant file asks for them', () => {
  for (const type of ['AWS::Lambda::Alias', 'AWS::Lambda::Version', 'AWS::CodeDeploy::DeploymentGroup'])
    expect(ofType(plain, type)).toEqual([]);
  expect(aliases.map(([, { FunctionName }]) => named(FunctionName)).sort()).toEqual(names);
});

describe.each(aliases)('%s', (id, { FunctionName }) => {
  const update = at(made.Resources[id], 'UpdatePolicy.CodeDeployLambdaAliasUpdate');
  const groupId = String(at(update, 'DeploymentGroupName.Ref'));
  const group = made.Resources[groupId]?.Properties;

  it('is moved by CodeDeploy, a tenth a minute', () => {
    expect(at(group, 'DeploymentConfigName')).toBe('CodeDeployDefault.LambdaLinear10PercentEvery1Minute');
  });

  it('moves back if the function crashes or times out under it', () => {
    expect(at(group, 'AutoRollbackConfiguration')).toEqual({
      Enabled: true,
      Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
    });
    const alarm = made.Resources[String(at(group, 'AlarmConfiguration.Alarms.0.Name.Ref'))]?.Properties;
    expect(alarm).toMatchObject({ MetricName: 'Errors', Threshold: 3 });
    expect(JSON.stringify(at(alarm, 'Dimensions'))).toContain(JSON.stringify(FunctionName));
  });

  it('is what the gateway or the queue invokes, and may invoke', () => {
    const invoking = [
      ...ofType(made, 'AWS::ApiGateway::Method'),
      ...ofType(made, 'AWS::Lambda::EventSourceMapping'),
    ];
    const texts = invoking.map(([, properties]) => JSON.stringify(properties));
    expect(texts.some((text) => text.includes(JSON.stringify({ Ref: id })))).toBe(true);
    const direct = JSON.stringify({ 'Fn::GetAtt': [at(FunctionName, 'Ref'), 'Arn'] });
    expect(texts.filter((text) => text.includes(direct))).toEqual([]);
    const permitted = ofType(made, 'AWS::Lambda::Permission').map(([, each]) =>
      JSON.stringify(each.FunctionName),
    );
    const isQueue = named(FunctionName) === 'RunQueued';
    expect(permitted.includes(JSON.stringify({ Ref: id }))).toBe(!isQueue);
  });
});

it.each(names)('CodeDeploy may move the alias of %s by a role that names it, and nothing else', (name) => {
  const [, role] = ofType(made, 'AWS::IAM::Role').find(([id]) => id.startsWith(`${name}RolloutRole`)) ?? [];
  expect(role?.ManagedPolicyArns).toBeUndefined();
  const [shift, look] = [at(role, 'Policies.0.PolicyDocument.Statement')].flat();
  expect(at(look, 'Action')).toBe('cloudwatch:DescribeAlarms');
  const [alias] = aliases.filter(([, { FunctionName }]) => named(FunctionName) === name);
  const arn = { 'Fn::GetAtt': [at(alias?.[1], 'FunctionName.Ref'), 'Arn'] };
  // No part of its name: CloudFormation cuts the names of functions, so also the id of a tenant in them.
  expect(at(shift, 'Resource')).toEqual([arn, { 'Fn::Join': ['', [arn, ':*']] }]);
});

it('`sam local` runs the functions themselves', () => {
  const sam = samTemplate(made, { architecture: 'arm64', environment: {}, host: 'h' });
  const uris = ofType(sam, 'AWS::ApiGateway::Method').map(([, properties]) => JSON.stringify(properties));
  for (const [id] of aliases)
    expect(uris.filter((text) => text.includes(JSON.stringify({ Ref: id })))).toEqual([]);
});
