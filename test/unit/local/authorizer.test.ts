// A Lambda authorizer of the local API Gateway: its decision, and the gateway responses to what it refuses.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, startHost } from '#lib/local/host.ts';
import { fn, gatewayResponse, restApi } from './fixtures/template.ts';

const authorizer = {
  Type: 'AWS::ApiGateway::Authorizer',
  Properties: {
    RestApiId: { Ref: 'Api' },
    Type: 'REQUEST',
    AuthorizerResultTtlInSeconds: 0,
    IdentitySource: '',
    AuthorizerUri: {
      'Fn::Join': [
        '',
        [
          'arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/',
          { 'Fn::GetAtt': ['Decide', 'Arn'] },
          '/invocations',
        ],
      ],
    },
  },
};
const api = restApi([
  { method: 'POST', path: '/guarded', functionId: 'Echo' },
  { method: 'POST', path: '/open', functionId: 'Echo' },
]);
const template = {
  Resources: {
    Echo: fn('echo'),
    Decide: fn('authorizer'),
    Authorizer: authorizer,
    ...api,
    Method0: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        ...api.Method0?.Properties,
        AuthorizationType: 'CUSTOM',
        AuthorizerId: { Ref: 'Authorizer' },
      },
    },
    Unauthorized: gatewayResponse('UNAUTHORIZED', {
      StatusCode: '401',
      ResponseParameters: { 'gatewayresponse.header.WWW-Authenticate': '\'Bearer realm="x"\'' },
    }),
  },
};

let host: Host;
const logged: string[] = [];
beforeAll(async () => {
  host = await startHost({ template, dataDir: undefined, port: 0, log: (line) => logged.push(line) });
});
afterAll(() => host.close());

const send = async (wish: string, path = '/guarded') =>
  await fetch(`${host.baseUrl}${path}`, { method: 'POST', body: 'text', headers: { 'x-wish': wish } });

test('a request that is allowed reaches the function, with what the authorizer has found', async () => {
  const response = await send('Allow');
  expect(response.status).toBe(200);
  const { event } = JSON.parse(await response.text());
  expect(event.requestContext.authorizer).toEqual({
    principalId: 'someone',
    type: 'REQUEST',
    hasBody: 'false',
  });
  expect(event.body).toBe('text');
});

test('a method without an authorizer asks none', async () => {
  expect((await send('Deny', '/open')).status).toBe(200);
});

describe('a refusal', () => {
  test('by the message Unauthorized is 401, with WWW-Authenticate under its own name, and no failure', async () => {
    const response = await send('throw Unauthorized');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="x"');
    expect(logged).toEqual([]);
  });

  test('by a policy is 403', async () => {
    expect((await send('Deny')).status).toBe(403);
  });

  test('by another error is 500, and the log says why', async () => {
    const response = await send('throw Table not found');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('Table');
    expect(logged.join()).toContain('Table not found');
  });

  test('by something that is no policy is 500', async () => {
    expect((await send('nonsense')).status).toBe(500);
  });
});
