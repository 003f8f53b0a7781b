// Creates a function and an API Gateway method for each row of the route table.
import {
  AwsIntegration,
  type IResource,
  type MethodOptions,
  ResponseTransferMode,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, NestedStack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { type Route, servedAddresses, timeoutLadder } from '#lib/http/route.ts';
import { routeList } from '#lib/routes/routes.ts';
import { extraStage } from './addresses.ts';
import { addFunction, type FunctionSurroundings } from './function.ts';
import { functionId } from './function-id.ts';
import { entranceOf } from './gradual-updates.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { answerPreflights } from './preflight.ts';
import type { Tenant } from './tenant.ts';

/**
 * The memory of a function by its timeout class. Lambda allocates CPU in proportion to memory and bills time by the
 * megabyte. A quick route is billed for milliseconds, so it gets the memory that shortens its cold start. A run mostly
 * waits for models, and waiting is billed too.
 */
export const memoryMegabytes = { quick: 1024, run: 512 } as const satisfies Record<Route['timeout'], number>;

export interface RouteFunction {
  readonly route: Route;
  readonly function: LambdaFunction;
}

/** What API Gateway asks before it calls the function of a route, by its operation. */
type Authorizers = Readonly<
  Record<string, Pick<MethodOptions, 'authorizationType' | 'authorizer'> | undefined>
>;

export function addRoutes(
  scope: Construct,
  api: RestApi,
  surroundings: FunctionSurroundings,
  authorizers: Authorizers,
): RouteFunction[] {
  const made = routeList.map(([operationId, route]) => {
    const stack = resourceStack(scope, route.tag);
    const made = addFunction(
      stack,
      functionOptions(operationId, route, surroundings.resources.tenant),
      surroundings,
    );
    const entrance = entranceOf(made, surroundings);
    allowGateway(route, entrance, api, surroundings.resources.tenant);
    for (const { path, methods } of servedAddresses(route))
      for (const method of methods)
        api.root
          .resourceForPath(path)
          .addMethod(method, integration(route, entrance), authorizers[operationId]);
    return { route, function: made };
  });
  const { browserOrigins } = surroundings.resources.tenant;
  const addresses = routeList.flatMap(([, route]) =>
    servedAddresses(route).map((address) => ({
      ...address,
      crossOrigin: route.crossOrigin,
      errorForm: route.errorForm,
    })),
  );
  for (const [path, served] of Map.groupBy(addresses, ({ path }) => path))
    addOtherMethods(api.root.resourceForPath(path), served, browserOrigins);
  return made;
}

interface ServedAddress {
  readonly methods: readonly string[];
  readonly crossOrigin: Route['crossOrigin'];
  readonly errorForm: Route['errorForm'];
}

/** OPTIONS, if pages of any origin may call the path, and the refusal of all methods that it does not have. */
function addOtherMethods(
  resource: IResource,
  served: readonly ServedAddress[],
  browserOrigins: readonly string[],
): void {
  const methods = served.flatMap((address) => address.methods);
  const isAnyMethod = methods.includes('ANY');
  const origins = served.some(({ crossOrigin }) => crossOrigin === 'all') ? '*' : browserOrigins;
  const hasPreflight = origins.length > 0 && served.some(({ crossOrigin }) => crossOrigin);
  if (hasPreflight) answerPreflights(resource, isAnyMethod ? ['GET', 'POST', 'DELETE'] : methods, origins);
  const form = served.find(({ errorForm }) => errorForm)?.errorForm;
  if (!isAnyMethod) refuseOtherMethods(resource, hasPreflight ? [...methods, 'OPTIONS'] : methods, form);
}

/**
 * The nested stack of a resource, which contains the functions of its routes and is created with the first of
 * them. CloudFormation allows 500 resources in a stack, and a function has five
 * (docs/decisions/0022-nested-stacks.md).
 */
export function resourceStack(scope: Construct, tag: Route['tag']): NestedStack {
  const existing = scope.node.tryFindChild(tag);
  if (NestedStack.isNestedStack(existing)) return existing;
  const made = new NestedStack(scope, tag, { description: `Functions of the routes under ${tag}` });
  // CloudFormation begins the names of the functions with it and cuts them after 64 characters.
  made.nestedStackResource?.overrideLogicalId(tag);
  return made;
}

function functionOptions(operationId: string, route: Route, { callerConcurrency }: Tenant) {
  return {
    id: functionId(operationId),
    entry: route.entry,
    description: `${route.summary} (${route.method} ${route.path})`,
    timeoutSeconds: timeoutLadder[route.timeout].function,
    memoryMegabytes: memoryMegabytes[route.timeout],
    uses: route.uses,
    reservedConcurrency: route.timeout === 'run' ? callerConcurrency : undefined,
  };
}

/**
 * Names the stage. CDK's own permission refers to it, and so is created after the stage, which can already
 * call the function.
 */
function allowGateway(route: Route, made: IFunction, api: RestApi, tenant: Tenant): void {
  const former = extraStage(tenant);
  for (const [index, { path, methods }] of servedAddresses(route).entries()) {
    // The only other method of a path is HEAD.
    const method = methods.length > 1 || methods[0] === 'ANY' ? '*' : methods[0];
    const allow = (id: string, stage: string) =>
      made.addPermission(`${id}${index || ''}`, {
        principal: new ServicePrincipal('apigateway.amazonaws.com'),
        sourceArn: api.arnForExecuteApi(method, path.replace(/\{[^}]+\}/g, '*'), stage),
      });
    allow('FromGateway', tenant.stageName);
    if (former !== undefined) allow('FromFormerStage', former);
  }
}

const streamed = { version: '2021-11-15', action: 'response-streaming-invocations' };
const buffered = { version: '2015-03-31', action: 'invocations' };

/** Not a `LambdaIntegration`, which would add that permission. */
function integration(route: Route, made: IFunction): AwsIntegration {
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
