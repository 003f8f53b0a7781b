// The authorizer of the connector, whose refusals API Gateway answers itself (`gateway-responses.ts`).
import {
  AuthorizationType,
  CfnAuthorizer,
  type MethodOptions,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Aws } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { eventSources } from '#lib/routes/event-sources.ts';
import { routes } from '#lib/routes/routes.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';
import { memoryMegabytes, resourceStack } from './routes.ts';

export interface ConnectorAuthorizer {
  readonly function: LambdaFunction;
  /** For the methods of a route, by its operation. */
  readonly methods: Readonly<Record<string, Pick<MethodOptions, 'authorizer' | 'authorizationType'>>>;
}

export function addConnectorAuthorizer(
  scope: Construct,
  api: RestApi,
  surroundings: FunctionSurroundings,
): ConnectorAuthorizer {
  const { route } = eventSources.authorizeConnector;
  const made = addAuthorizerFunction(resourceStack(scope, routes[route].tag), surroundings);
  made.addPermission('FromGateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    // Names no authorizer, which is in the stack that refers to this one.
    sourceArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${api.restApiId}/authorizers/*`,
  });
  // Not a `RequestAuthorizer`, which would add a permission that names it.
  const authorizer = new CfnAuthorizer(scope, 'ConnectorAuthorizer', {
    restApiId: api.restApiId,
    name: 'connector',
    type: 'REQUEST',
    authorizerUri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${made.functionArn}/invocations`,
    // API Gateway would refuse a request that lacks one of several identity sources; credentials come in three headers.
    authorizerResultTtlInSeconds: 0,
  });
  const authorizationType = AuthorizationType.CUSTOM;
  return {
    function: made,
    methods: {
      [route]: { authorizer: { authorizerId: authorizer.ref, authorizationType }, authorizationType },
    },
  };
}

function addAuthorizerFunction(scope: Construct, surroundings: FunctionSurroundings): LambdaFunction {
  const { entry, timeoutSeconds, uses } = eventSources.authorizeConnector;
  const description = 'Refuses requests to the connector so that clients see the challenge';
  return addFunction(
    scope,
    {
      id: 'AuthorizeConnector',
      entry,
      description,
      timeoutSeconds,
      memoryMegabytes: memoryMegabytes.quick,
      uses,
    },
    surroundings,
  );
}
