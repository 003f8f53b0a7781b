// The challenge of the connector as clients see it: an authorizer refuses, and API Gateway answers.
import { describe, expect, it } from 'vitest';
import { at, deployedTemplate, ofType } from './demo-app.ts';

const template = deployedTemplate();
const [[authorizerId, authorizer] = [], ...others] = ofType(template, 'AWS::ApiGateway::Authorizer');
const [[functionId] = []] = ofType(template, 'AWS::Lambda::Function').filter(([id]) =>
  id.startsWith('AuthorizeConnector'),
);
const methods = ofType(template, 'AWS::ApiGateway::Method').map(([, properties]) => properties);
const responses = new Map(
  ofType(template, 'AWS::ApiGateway::GatewayResponse').map(([, properties]) => [
    properties.ResponseType,
    properties,
  ]),
);

describe('the authorizer', () => {
  it('decides about every request, since credentials come in three headers and no result is cached', () => {
    expect(others).toEqual([]);
    expect(authorizer).toMatchObject({ Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0 });
    expect(authorizer?.IdentitySource ?? '').toBe('');
    expect(JSON.stringify(authorizer?.AuthorizerUri)).toContain(`"${functionId}"`);
  });

  it('is asked before POST of the connector, and before nothing else', () => {
    const guarded = methods.filter(({ AuthorizationType }) => AuthorizationType !== 'NONE');
    expect(guarded).toHaveLength(1);
    expect(guarded[0]).toMatchObject({
      HttpMethod: 'POST',
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { Ref: authorizerId },
      Integration: { ResponseTransferMode: 'STREAM' },
    });
  });

  it('may be called by API Gateway', () => {
    const permissions = ofType(template, 'AWS::Lambda::Permission').map(([, properties]) => properties);
    const own = permissions.filter((each) => JSON.stringify(each.FunctionName).includes(`"${functionId}"`));
    expect(own).toHaveLength(1);
    expect(own[0]).toMatchObject({ Principal: 'apigateway.amazonaws.com' });
    expect(JSON.stringify(own[0]?.SourceArn)).toContain('/authorizers/*');
  });

  it('has its refusals in the audit trail', () => {
    const filters = ofType(template, 'AWS::Logs::SubscriptionFilter').map(([, properties]) =>
      JSON.stringify(properties.LogGroupName),
    );
    expect(filters.filter((name) => name.includes('AuthorizeConnector'))).toHaveLength(1);
  });
});

describe.each([
  ['UNAUTHORIZED', '401', 'unauthenticated', ''],
  ['ACCESS_DENIED', '403', 'insufficient_scope', ' error=\\"insufficient_scope\\",'],
])('the gateway response %s', (type, status, code, error) => {
  const response = responses.get(type);

  it('has the challenge with the address of the metadata and the scopes of the connector', () => {
    expect(response?.StatusCode).toBe(status);
    const name = 'gatewayresponse.header.WWW-Authenticate';
    const challenge = JSON.stringify(Reflect.get(Object(response?.ResponseParameters), name));
    expect(challenge).toContain(`'Bearer realm=\\"agent-flow\\",${error} resource_metadata=\\"https://`);
    expect(challenge).toContain(
      '/.well-known/oauth-protected-resource/api/v1/ai/mcp\\", scope=\\"agents:read agents:call\\"\'',
    );
  });

  it('is an error of JSON-RPC', () => {
    const text = at(response, 'ResponseTemplates.application/json');
    expect(JSON.parse(String(text))).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, data: { code, instance: '$context.requestId' } },
    });
  });
});

describe.each([
  ['AUTHORIZER_FAILURE', '503', 'dependency_unavailable'],
  ['AUTHORIZER_CONFIGURATION_ERROR', '500', 'internal'],
])('the gateway response %s, which only the connector can have', (type, status, code) => {
  const response = responses.get(type);

  it('is an error of JSON-RPC without a challenge, since another credential would not help', () => {
    expect(response?.StatusCode).toBe(status);
    expect(response?.ResponseParameters).not.toHaveProperty(['gatewayresponse.header.WWW-Authenticate']);
    expect(JSON.parse(String(at(response, 'ResponseTemplates.application/json')))).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32603, data: { code, instance: '$context.requestId' } },
    });
  });
});

it('API Gateway has no keys and quotas of its own, whose responses are therefore not in the template', () => {
  expect(methods.filter(({ ApiKeyRequired }) => ApiKeyRequired === true)).toEqual([]);
  expect(ofType(template, 'AWS::ApiGateway::UsagePlan')).toEqual([]);
});
