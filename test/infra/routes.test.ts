import { describe, expect, it } from 'vitest';
import { type Route, servedAddresses, servedMethods, timeoutLadder } from '#lib/http/route.ts';
import { functionId } from '#lib/infra/function-id.ts';
import { template as readTemplate } from '#lib/infra/template.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { routeList } from '#lib/routes/routes.ts';
import { at, deployedFiles, deployedTemplate, named, ofType, tenantLike } from './demo-app.ts';

const template = deployedTemplate();
const resources = new Map(ofType(template, 'AWS::ApiGateway::Resource'));
const functions = new Map(ofType(template, 'AWS::Lambda::Function'));
const permissions = ofType(template, 'AWS::Lambda::Permission').map(([, properties]) => properties);
const methods = ofType(template, 'AWS::ApiGateway::Method').map(([, properties]) => {
  const target =
    /"Fn::GetAtt":\["([^"]+)","Arn"\]/.exec(JSON.stringify(at(properties, 'Integration.Uri')))?.[1] ?? '';
  return {
    properties,
    route: `${properties.HttpMethod} ${findPath(at(properties, 'ResourceId.Ref')) || '/'}`,
    target,
  };
});

function findPath(id: unknown): string {
  const resource = resources.get(String(id));
  return resource ? `${findPath(at(resource, 'ParentId.Ref'))}/${resource.PathPart}` : '';
}

/** What API Gateway calls for a request of the route. */
function findOwn(row: Route) {
  const method = row.otherMethods === 'byFunction' ? 'ANY' : row.method;
  return methods.find(({ route }) => route === `${method} ${row.path}`);
}

function findMethod(route: Route) {
  const found = findOwn(route);
  return { integration: found?.properties.Integration, function: functions.get(found?.target ?? '') };
}

describe('the route table', () => {
  it('has one method for each route, HEAD for each GET, OPTIONS for cards, and ANY for the other methods of its paths', () => {
    const served = routeList.flatMap(([, route]) =>
      servedAddresses(route).flatMap(({ path, methods: own }) =>
        [...own, ...(route.crossOrigin === 'all' ? ['OPTIONS'] : []), 'ANY'].map(
          (method) => `${method} ${path}`,
        ),
      ),
    );
    expect(methods.map(({ route }) => route).sort()).toEqual([...new Set(served)].sort());
  });

  it('has no function for unsupported methods: API Gateway answers 405 with the supported ones', () => {
    const served = new Set(
      routeList.flatMap(([, { path: own, also = [], otherMethods }]) =>
        [...also.map(({ path }) => path), ...(otherMethods ? [own] : [])].map((path) => `ANY ${path}`),
      ),
    );
    const refusing = methods.filter(
      ({ properties, route }) => properties.HttpMethod === 'ANY' && !served.has(route),
    );
    for (const { properties, route, target } of refusing) {
      const path = route.slice('ANY '.length);
      const rows = routeList.filter(([, row]) => row.path === path).map(([, row]) => row);
      const own = rows.flatMap((row) => [...servedMethods(row)]);
      if (rows.some(({ crossOrigin }) => crossOrigin === 'all')) own.push('OPTIONS');
      expect(target).toBe('');
      expect(at(properties, 'Integration.Type')).toBe('MOCK');
      expect(at(properties, 'Integration.IntegrationResponses.0')).toMatchObject({
        StatusCode: '405',
        ResponseParameters: { 'method.response.header.Allow': `'${own.sort().join(', ')}'` },
      });
    }
    expect(refusing.length).toBeGreaterThan(30);
  });

  it('stays within the quota of 300 resources of an API', () => {
    expect(resources.size).toBeLessThan(150);
  });

  it('has exactly one function for each route and event source, built from the file in its row', () => {
    const entries = [
      ...routeList.map(([, { entry }]) => entry),
      ...Object.values(eventSources).map(({ entry }) => entry),
    ];
    const made = [...functions.keys()].map((id) => template.Resources[id]?.Metadata?.['agentflow:entry']);
    expect(made.sort()).toEqual(entries.map((entry) => `functions/${entry}.ts`).sort());
    expect(new Set(methods.flatMap(({ target }) => target || [])).size).toBe(routeList.length);
  });

  it.each(routeList)(
    '%s: its method invokes its own function, which `sam local` finds by name',
    (operationId, route) => {
      const target = findOwn(route)?.target ?? '';
      expect(template.Resources[target]?.Metadata).toMatchObject({
        'agentflow:entry': `functions/${route.entry}.ts`,
        SamResourceId: functionId(operationId),
      });
    },
  );

  it.each(routeList)('%s: only its method may invoke its function', (_, route) => {
    const { target } = findOwn(route) ?? {};
    const callers = permissions.filter(({ FunctionName }) => at(FunctionName, 'Fn::GetAtt.0') === target);
    const called = servedAddresses(route).map(({ path, methods: own }) => {
      const method = own.length > 1 || own[0] === 'ANY' ? '*' : own[0];
      return `${method}${path.replaceAll(/\{\w+\+?\}/g, '*')}`;
    });
    expect(callers.map(({ Action, Principal, SourceArn }) => [Action, Principal, named(SourceArn)])).toEqual(
      called.map((each) => [
        'lambda:InvokeFunction',
        'apigateway.amazonaws.com',
        `arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:Gateway/main/${each}`,
      ]),
    );
  });

  it("deploys the permission to invoke a function before the stage, because the stage depends on the function's stack", () => {
    const [[, outer = ''] = []] = deployedFiles();
    const { Resources } = readTemplate.parse(JSON.parse(outer));
    const [[stageId] = []] = ofType(template, 'AWS::ApiGateway::Stage');
    expect(Object.keys(Resources)).toContain(stageId);
    expect(permissions.length).toBeGreaterThan(routeList.length);
    expect(JSON.stringify(Resources)).not.toContain('apigateway.amazonaws.com');
  });

  it.each(routeList)('%s: API Gateway waits longer than the function runs', (_, route) => {
    const method = findMethod(route);
    const { function: timeoutSeconds, integration } = timeoutLadder[route.timeout];
    expect(method.function?.Timeout).toBe(timeoutSeconds);
    expect(at(method.integration, 'TimeoutInMillis')).toBe(integration * 1000);
    expect(integration).toBeGreaterThan(timeoutSeconds);
  });

  it.each(routeList.filter(([, { transfer }]) => transfer === 'stream'))('%s: streams', (_, route) => {
    const method = findMethod(route);
    expect(at(method.integration, 'ResponseTransferMode')).toBe('STREAM');
    expect(JSON.stringify(at(method.integration, 'Uri'))).toContain('/response-streaming-invocations');
  });

  it.each(routeList.filter(([, { timeout }]) => timeout === 'run'))(
    '%s: streams, and outlives the longest run that a tenant may allow',
    (_, route) => {
      const method = findMethod(route);
      expect(route.transfer).toBe('stream');
      expect(method.function?.Timeout).toBeGreaterThan(150);
      expect(at(method.integration, 'TimeoutInMillis')).toBeLessThan(300_000); // a Regional API's idle limit
    },
  );

  it.each(routeList.filter(([, { transfer }]) => transfer === 'buffered'))(
    '%s: stays under the 29 s that API Gateway waits without a quota request',
    (_, route) => {
      const method = findMethod(route);
      expect(at(method.integration, 'ResponseTransferMode')).toBeUndefined();
      expect(at(method.integration, 'TimeoutInMillis')).toBeLessThanOrEqual(29_000);
    },
  );
});

describe('the gateway', () => {
  const [[, gateway] = []] = ofType(template, 'AWS::ApiGateway::RestApi');
  const [[, stage] = []] = ofType(template, 'AWS::ApiGateway::Stage');

  it('is regional, so that streamed responses may pause for five minutes', () => {
    expect(at(gateway, 'EndpointConfiguration.Types')).toEqual(['REGIONAL']);
  });

  it('never reads X-API-Key itself, because our keys are JWTs', () => {
    expect(gateway?.ApiKeySourceType).toBe('AUTHORIZER');
    expect(methods.filter(({ properties }) => properties.ApiKeyRequired === true)).toEqual([]);
  });

  it('has the throttling limits of the tenant', () => {
    const own = deployedTemplate(tenantLike({ throttle: { rate: 7, burst: 9 } }));
    const [[, ownStage] = []] = ofType(own, 'AWS::ApiGateway::Stage');
    expect(at(ownStage, 'MethodSettings.0')).toMatchObject({
      ThrottlingRateLimit: 7,
      ThrottlingBurstLimit: 9,
    });
  });

  it('logs one line of JSON per request, without query strings or headers that carry credentials', () => {
    const format = String(at(stage, 'AccessLogSetting.Format'));
    expect(Object.keys(JSON.parse(format))).toContain('requestId');
    expect(format).not.toMatch(/querystring|authorization|api-?key|cookie/i);
    expect(at(stage, 'MethodSettings.0')).toMatchObject({ DataTraceEnabled: false, LoggingLevel: 'OFF' });
  });

  it('logs what callers choose first, so that it cannot replace what the gateway found', () => {
    const format = String(at(stage, 'AccessLogSetting.Format'));
    const [first, ...others] = Object.keys(JSON.parse(format));
    expect(first).toBe('userAgent');
    expect(others).toContain('status');
    const forged = format
      .replace('$context.identity.userAgent', '","status":"200","x":"')
      .replace('$context.status', '403');
    expect(JSON.parse(forged).status).toBe('403');
  });

  it('with a custom domain is reachable only there', () => {
    const domainName = 'agents.example.com';
    const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const own = deployedTemplate(tenantLike({ customDomain: { domainName, certificateArn } }));
    const [[, ownGateway] = []] = ofType(own, 'AWS::ApiGateway::RestApi');
    const [[, mapping] = []] = ofType(own, 'AWS::ApiGateway::BasePathMapping');
    expect(ownGateway?.DisableExecuteApiEndpoint).toBe(true);
    expect(mapping).not.toHaveProperty('BasePath');
    for (const [, made] of ofType(own, 'AWS::Lambda::Function')) {
      expect(at(made, 'Environment.Variables.GATEWAY_URL')).toBe(`https://${domainName}`);
    }
  });
});

describe("the gateway's own errors", () => {
  const answers = ofType(template, 'AWS::ApiGateway::GatewayResponse').map(([, properties]) => properties);

  it.each(answers.map((answer) => [String(answer.ResponseType), answer] as const))(
    '%s is a problem+json with the same members as ours',
    (_, answer) => {
      const body: unknown = JSON.parse(String(at(answer, 'ResponseTemplates.application/json')));
      // What the authorizer of the connector refuses is an error of JSON-RPC.
      const problem = at(body, 'error.data') ?? body;
      expect(problem).toEqual({
        type: `urn:agent-flow:error:${at(problem, 'code')}`,
        title: expect.any(String),
        status: Number(answer.StatusCode),
        detail: expect.any(String),
        instance: '$context.requestId',
        code: expect.stringMatching(/^[a-z_]+$/),
      });
      expect(answer.ResponseParameters).toMatchObject({
        'gatewayresponse.header.Content-Type':
          problem === body ? "'application/problem+json'" : "'application/json'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      });
    },
  );

  it.each([
    ['MISSING_AUTHENTICATION_TOKEN', '404', 'route_not_found'],
    ['RESOURCE_NOT_FOUND', '404', 'route_not_found'],
    ['REQUEST_TOO_LARGE', '413', 'payload_too_large'],
    ['THROTTLED', '429', 'throttled'],
    ['INTEGRATION_TIMEOUT', '504', 'timeout'],
  ])('%s is a %s %s', (type, status, code) => {
    const answer = answers.find(({ ResponseType }) => ResponseType === type);
    expect(answer?.StatusCode).toBe(status);
    expect(JSON.stringify(answer)).toContain(`\\"code\\":\\"${code}\\"`);
  });

  it('a throttled caller gets Retry-After', () => {
    const answer = answers.find(({ ResponseType }) => ResponseType === 'THROTTLED');
    expect(answer?.ResponseParameters).toHaveProperty(['gatewayresponse.header.Retry-After'], "'1'");
  });
});
