// From the route table to functions and API Gateway methods: one of each per route.
import { AwsIntegration, ResponseTransferMode, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { type Route, servedMethods, timeoutLadder } from '#lib/http/route.ts';
import { routeList } from '#lib/routes/routes.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';
import { memoryMegabytes } from './function-memory.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { surfaceStack } from './surface-stack.ts';
import type { Tenant } from './tenant.ts';

export interface RouteFunction {
  readonly route: Route;
  readonly function: LambdaFunction;
}

export function addRoutes(
  scope: Construct,
  api: RestApi,
  surroundings: FunctionSurroundings,
): RouteFunction[] {
  const made = routeList.map(([operationId, route]) => {
    const surface = surfaceStack(scope, route.tag);
    const made = addFunction(surface, functionOptions(operationId, route), surroundings);
    letIn(route, made, api, surroundings.resources.tenant);
    for (const method of servedMethods(route))
      api.root.resourceForPath(route.path).addMethod(method, integration(route, made));
    return { route, function: made };
  });
  for (const [path, rows] of Map.groupBy(routeList, ([, { path }]) => path))
    refuseOtherMethods(
      api.root.resourceForPath(path),
      rows.flatMap(([, route]) => servedMethods(route)),
    );
  return made;
}

/** `listRegistryRows` becomes the function `ListRegistryRows`. */
export function functionId(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

function functionOptions(operationId: string, route: Route) {
  return {
    id: functionId(operationId),
    entry: route.entry,
    description: `${route.summary} (${route.method} ${route.path})`,
    timeoutSeconds: timeoutLadder[route.timeout].function,
    memoryMegabytes: memoryMegabytes[route.timeout],
    uses: route.uses,
  };
}

/** Names the stage instead of referring to it as CDK's permission does, which is therefore made after the stage already calls the function. */
function letIn(route: Route, made: LambdaFunction, api: RestApi, { stageName }: Tenant): void {
  const path = route.path.replace(/\{[^}]+\}/g, '*');
  // The only other one that leads to it is HEAD.
  const method = servedMethods(route).length > 1 ? '*' : route.method;
  made.addPermission('FromGateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: api.arnForExecuteApi(method, path, stageName),
  });
}

const streamed = { version: '2021-11-15', action: 'response-streaming-invocations' };
const buffered = { version: '2015-03-31', action: 'invocations' };

/** Not a `LambdaIntegration`, which would add that permission. */
function integration(route: Route, made: LambdaFunction): AwsIntegration {
  const isStreamed = route.transfer === 'stream';
  const { version, action } = isStreamed ? streamed : buffered;
  return new AwsIntegration({
    service: 'lambda',
    proxy: true,
    path: `${version}/functions/${made.functionArn}/${action}`,
    options: {
      timeout: Duration.seconds(timeoutLadder[route.timeout].integration),
      ...(isStreamed && { responseTransferMode: ResponseTransferMode.STREAM }),
    },
  });
}
