// From the route table to functions and API Gateway methods: one of each per route.
import { LambdaIntegration, ResponseTransferMode, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { type Route, timeoutLadder } from '#lib/api/route.ts';
import { routeList } from '#lib/api/routes.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';
import { memoryMegabytes } from './function-memory.ts';

export interface RouteFunction {
  readonly route: Route;
  readonly function: LambdaFunction;
}

export function addRoutes(
  scope: Construct,
  api: RestApi,
  surroundings: FunctionSurroundings,
): RouteFunction[] {
  return routeList.map(([operationId, route]) => {
    const made = addFunction(scope, functionOptions(operationId, route), surroundings);
    api.root.resourceForPath(route.path).addMethod(route.method, integration(route, made));
    return { route, function: made };
  });
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

function integration(route: Route, made: LambdaFunction): LambdaIntegration {
  return new LambdaIntegration(made, {
    timeout: Duration.seconds(timeoutLadder[route.timeout].integration),
    allowTestInvoke: false,
    ...(route.transfer === 'stream' && { responseTransferMode: ResponseTransferMode.STREAM }),
  });
}
