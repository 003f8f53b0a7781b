// The REST API of the template: its methods with their full paths, its stage, and its gateway responses.
import * as z from 'zod';
import { type ReadTemplate, type Resolve, resourcesOfType } from './template.ts';

export type Api = {
  readonly id: string;
  readonly stage: string;
  readonly binaryMediaTypes: readonly string[];
  readonly methods: readonly Method[];
  /** The paths of all resources, including those without methods. */
  readonly paths: readonly string[];
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponse>;
};

export type Method = {
  readonly resourceId: string;
  /** Such as `/flows/{id}`. */
  readonly path: string;
  /** An HTTP method, or ANY. */
  readonly httpMethod: string;
  readonly integration: Integration;
  /** The function that decides about each request first; without caching, and without identity sources. */
  readonly authorizerName: string | undefined;
};

export type Integration =
  | {
      readonly kind: 'lambda';
      readonly functionName: string;
      readonly isStreaming: boolean;
      readonly timeoutMillis: number;
    }
  | {
      readonly kind: 'mock';
      readonly statusCode: number;
      /** A literal in single quotes, or `context.…`. */
      readonly headers: Readonly<Record<string, string>>;
      /** May contain `$context.…`. */
      readonly body: string;
      /** Sent back in `Access-Control-Allow-Origin`, by the template of `lib/infra/preflight.ts`. */
      readonly allowedOrigins: readonly string[];
    };

export type GatewayResponse = z.output<typeof gatewayResponse>;

const parameters = z.record(z.string(), z.string()).default({});

const restApi = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });
const stage = z.object({ StageName: z.string(), RestApiId: z.string() });
const apiResource = z.object({ ParentId: z.string(), PathPart: z.string() });
const gatewayResponse = z.object({
  ResponseType: z.string(),
  StatusCode: z.coerce.number().optional(),
  ResponseTemplates: parameters,
  ResponseParameters: parameters,
});
const mockResponse = z.object({
  StatusCode: z.coerce.number(),
  ResponseParameters: parameters,
  ResponseTemplates: parameters,
});
const authorizer = z.object({
  Type: z.literal('REQUEST'),
  AuthorizerUri: z.string(),
  AuthorizerResultTtlInSeconds: z.literal(0),
  IdentitySource: z.literal('').default(''),
});
const method = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']).default('NONE'),
  AuthorizerId: z.string().optional(),
  Integration: z.object({
    Type: z.enum(['AWS_PROXY', 'MOCK']),
    Uri: z.string().default(''),
    // The default of API Gateway for REST APIs.
    TimeoutInMillis: z.number().default(29_000),
    ResponseTransferMode: z.enum(['BUFFERED', 'STREAM']).default('BUFFERED'),
    IntegrationResponses: z.array(mockResponse).default([]),
  }),
});

type FunctionNames = readonly { readonly name: string; readonly arn: string }[];

/** Undefined if the template has no REST API. */
export function readApi(template: ReadTemplate, resolve: Resolve, functions: FunctionNames): Api | undefined {
  const read = <Shape extends z.ZodRawShape>(type: string, schema: z.ZodObject<Shape>) =>
    resourcesOfType(template, [`AWS::ApiGateway::${type}`], schema, resolve);
  const [api, ...more] = read('RestApi', restApi);
  if (!api) return undefined;
  if (more.length > 0) throw new Error('The local host serves one REST API; the template has several.');
  const resources = new Map(read('Resource', apiResource));
  const responses = read('GatewayResponse', gatewayResponse).map(
    ([, one]) => [one.ResponseType, one] as const,
  );
  const authorizers = new Map(
    read('Authorizer', authorizer).map(([id, { AuthorizerUri }]) => [
      id,
      findFunction(id, AuthorizerUri, functions),
    ]),
  );
  return {
    id: api[0],
    stage: read('Stage', stage)[0]?.[1].StageName ?? 'local',
    binaryMediaTypes: api[1].BinaryMediaTypes,
    gatewayResponses: new Map(responses),
    paths: [...resources.keys()].map((id) => buildPath(id, resources)),
    methods: read('Method', method).map(([logicalId, { HttpMethod, ResourceId, Integration, ...rest }]) => ({
      resourceId: ResourceId,
      path: buildPath(ResourceId, resources),
      httpMethod: HttpMethod,
      integration: toIntegration(logicalId, Integration, functions),
      authorizerName:
        rest.AuthorizationType === 'CUSTOM' ? authorizers.get(rest.AuthorizerId ?? '') : undefined,
    })),
  };
}

/** Follows the parents up to the root, which is not a resource of the template. */
function buildPath(resourceId: string, resources: ReadonlyMap<string, z.output<typeof apiResource>>): string {
  const resource = resources.get(resourceId);
  if (!resource) return '/';
  return `${buildPath(resource.ParentId, resources).replace(/\/$/, '')}/${resource.PathPart}`;
}

function toIntegration(
  logicalId: string,
  integration: z.output<typeof method>['Integration'],
  functions: FunctionNames,
): Integration {
  if (integration.Type === 'MOCK') return toMock(integration.IntegrationResponses[0]);
  const functionName = findFunction(logicalId, integration.Uri, functions);
  const isStreaming = integration.ResponseTransferMode === 'STREAM';
  if (isStreaming !== integration.Uri.endsWith('/response-streaming-invocations'))
    throw new Error(`${logicalId}: ResponseTransferMode does not match the kind of invocation in the Uri.`);
  return {
    kind: 'lambda',
    functionName,
    isStreaming,
    timeoutMillis: integration.TimeoutInMillis,
  };
}

function findFunction(logicalId: string, uri: string, functions: FunctionNames): string {
  const target = /\/functions\/(arn:[^/]+)\/(?:response-streaming-)?invocations$/.exec(uri)?.[1];
  const found = functions.find(({ arn }) => arn === target);
  if (found) return found.name;
  throw new Error(`${logicalId}: the Uri names no function of the template: ${uri}`);
}

/** The first integration response of a mock. Its headers contain the type of its body. */
function toMock(response: z.output<typeof mockResponse> | undefined): Integration {
  const prefix = 'method.response.header.';
  const headers = Object.entries(response?.ResponseParameters ?? {})
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value]);
  const [template = ''] = Object.values(response?.ResponseTemplates ?? {});
  const allowedOrigins = [...template.matchAll(/\$origin == "([^"]+)"/g)].map(([, origin = '']) => origin);
  return {
    kind: 'mock',
    statusCode: response?.StatusCode ?? 200,
    headers: Object.fromEntries(headers),
    body: allowedOrigins.length > 0 ? '' : template,
    allowedOrigins,
  };
}
