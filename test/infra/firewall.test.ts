// What bounds callers before they reach the capacity that they share: the web ACL and reserved concurrency.
import { describe, expect, it } from 'vitest';
import { addChecks } from '#lib/infra/acknowledgements.ts';
import { at, deployedTemplate, named, ofType, tenantLike, withApp } from './demo-app.ts';

const bounded = tenantLike({ firewall: { keyRequests: 600 }, callerConcurrency: 50 });
const template = deployedTemplate(bounded);
const plain = deployedTemplate();
/** They wait for up to `runLimitSeconds`. */
const holding = ['CallAgent', 'CallConnector', 'CallLiveAgent', 'CallTestAgent', 'FollowRun', 'TriggerFlow'];

describe('the firewall', () => {
  const [acl] = ofType(template, 'AWS::WAFv2::WebACL');
  const rules = [at(acl?.[1], 'Rules')].flat();

  it('is in front of the stage, only where the tenant file asks for it', () => {
    const [association] = ofType(template, 'AWS::WAFv2::WebACLAssociation');
    expect(at(association?.[1], 'WebACLArn.Fn::GetAtt.0')).toBe(acl?.[0]);
    expect(named(at(association?.[1], 'ResourceArn'))).toBe(
      'arn:AWS::Partition:apigateway:AWS::Region::/restapis/Gateway/stages/GatewayDeploymentStagemain',
    );
    expect(ofType(plain, 'AWS::WAFv2::WebACL')).toEqual([]);
  });

  it('limits requests without credentials together, and each address, key and token, within a minute', () => {
    const rates = rules.map((rule) => [at(rule, 'Name'), at(rule, 'Statement.RateBasedStatement')]);
    const rate = (limit: number, more: object) =>
      expect.objectContaining({ Limit: limit, EvaluationWindowSec: 60, ...more });
    const header = (name: string) => ({
      AggregateKeyType: 'CUSTOM_KEYS',
      CustomKeys: [{ Header: { Name: name, TextTransformations: [{ Priority: 0, Type: 'NONE' }] } }],
    });
    expect(rates).toEqual([
      ['Anonymous', rate(3_000, { AggregateKeyType: 'CONSTANT' })],
      ['Address', rate(3_000, { AggregateKeyType: 'IP' })],
      ['Header-x-api-key', rate(600, header('x-api-key'))],
      ['Header-authorization', rate(600, header('authorization'))],
    ]);
  });

  it('counts as a request without credentials what has no key, no token and no session', () => {
    const statements = at(
      rules[0],
      'Statement.RateBasedStatement.ScopeDownStatement.AndStatement.Statements',
    );
    const missing = [statements].flat().map((each) => {
      const constraint = at(each, 'NotStatement.Statement.SizeConstraintStatement');
      return [
        at(constraint, 'FieldToMatch.SingleHeader.Name'),
        at(constraint, 'ComparisonOperator'),
        at(constraint, 'Size'),
      ];
    });
    expect(missing).toEqual(['x-api-key', 'authorization', 'cookie'].map((name) => [name, 'GE', 1]));
  });

  it('keeps no samples of requests, which would show credentials', () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
  });

  it('has no findings of cdk-nag', () => {
    const synth = () =>
      withApp([bounded], (app) => {
        addChecks(app, [bounded]);
        app.synth();
      });
    expect(synth).not.toThrow();
  });

  it.each([9, 1.5])('is refused with a limit of %d requests', (addressRequests) => {
    expect(() => tenantLike({ firewall: { addressRequests } })).toThrow(/firewall\.addressRequests/);
  });
});

describe('the reserved concurrency', () => {
  const reserved = (from: typeof template) =>
    ofType(from, 'AWS::Lambda::Function').flatMap(([id, properties]) =>
      properties.ReservedConcurrentExecutions === undefined
        ? []
        : [[named({ Ref: id }), properties.ReservedConcurrentExecutions]],
    );

  it('is that of the tenant file for each function that holds a caller during a run, and for no other', () => {
    expect(reserved(template).sort()).toEqual(holding.map((name) => [name, 50]));
  });

  it('is none by default, because a new account has none to reserve', () => {
    expect(reserved(plain)).toEqual([]);
  });

  it.each([0, 10_001])('is refused as %d', (callerConcurrency) => {
    expect(() => tenantLike({ callerConcurrency })).toThrow(/callerConcurrency/);
  });
});
