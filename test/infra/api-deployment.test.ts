// API Gateway serves a snapshot of the API. CloudFormation makes a new one only if the deployment has a new logical id.
import { type MockIntegration, ResponseType, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { App } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { at, deployedTemplate, ofType, tenantLike, withApp } from './demo-app.ts';

const tenant = tenantLike();
const noIntegration: MockIntegration | undefined = undefined;

/** The logical id of the deployment that the stage shows, after a change of the API. */
function deploymentAfter(change: (api: RestApi) => void): unknown {
  return withApp([tenant], (app) => {
    change(findApi(app));
    const { template } = app.synth().getStackByName(`AgentFlow-${tenant.id}`);
    const [[id] = [], ...others] = ofType(template, 'AWS::ApiGateway::Deployment');
    expect(others).toEqual([]);
    const [[, stage] = []] = ofType(template, 'AWS::ApiGateway::Stage');
    expect(at(stage, 'DeploymentId')).toEqual({ Ref: id });
    return id;
  });
}

function findApi(app: App): RestApi {
  const found = app.node.findAll().find((construct) => construct instanceof RestApi);
  if (!found) throw new Error('There is no API.');
  return found;
}

const unchanged = deploymentAfter(() => {});

describe('the snapshot of the API', () => {
  it.each<readonly [string, (api: RestApi) => void]>([
    ['a path', (api) => void api.root.addResource('new').addMethod('GET', noIntegration)],
    [
      'a method of a path',
      (api) => void api.root.resourceForPath('/api/v1/me').addMethod('PATCH', noIntegration),
    ],
    [
      'an answer of the gateway',
      (api) => void api.addGatewayResponse('New', { type: ResponseType.BAD_REQUEST_BODY }),
    ],
  ])('is made again for a change of %s', (_, change) => {
    expect(deploymentAfter(change)).not.toBe(unchanged);
  });

  it('is made again when other origins may call it', () => {
    const idOf = (browserOrigins: string[]) =>
      ofType(deployedTemplate(tenantLike({ browserOrigins })), 'AWS::ApiGateway::Deployment')[0]?.[0];
    expect(idOf([])).toBe(unchanged);
    expect(idOf(['https://app.example.com'])).not.toBe(unchanged);
  });

  it('is not made again without a change', () => {
    expect(deploymentAfter(() => {})).toBe(unchanged);
  });
});
