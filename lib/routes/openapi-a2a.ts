// The HTTP+JSON binding of A2A in the OpenAPI document: its operations below the address of each agent. The bodies
// are described by the A2A specification. Only lib/routes/openapi.ts imports it.
import * as z from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { type HttpOperation, httpOperations } from '#lib/a2a/http-operations.ts';
import { requestHeaders } from '#lib/http/request-headers.ts';
import type { Route } from '#lib/http/route.ts';
import { a2aRoutes } from './a2a-routes.ts';
import { describeSecurity } from './openapi-security.ts';
import { unwrapMembers } from './unwrap-lazy.ts';

/** The prefixes of the operation ids. */
const agents = {
  live: a2aRoutes.callLiveAgent,
  test: a2aRoutes.callTestAgent,
  agent: a2aRoutes.callAgent,
} as const;

const summaries: Readonly<Record<string, string>> = {
  SendMessage: 'Send a message, and wait for the answer',
  SendStreamingMessage: 'Send a message, and stream the task',
  ListTasks: 'List the tasks of the caller',
  GetTask: 'Get a task',
  CancelTask: 'Cancel a task',
  SubscribeToTask: 'Stream the updates of a task',
  CreateTaskPushNotificationConfig: 'Have the updates of a task sent to a URL',
  ListTaskPushNotificationConfigs: 'List the push notification configs of a task',
  GetTaskPushNotificationConfig: 'Get a push notification config',
  DeleteTaskPushNotificationConfig: 'Delete a push notification config',
  GetExtendedAgentCard: 'Get the extended Agent Card',
};

const errorName = 'A2AError';

type Headers = Readonly<Record<string, { readonly $ref: string }>>;

/** The response that all operations share. */
export const a2aErrorResponse = (headers: Headers) => ({
  [errorName]: {
    description: 'An error of A2A or of the service, in the form of AIP-193 (A2A v1.0.1 §11.6).',
    headers,
    content: { 'application/a2a+json': { schema: statusBody } },
  },
});

const statusBody = z
  .object({
    error: z.object({
      code: z.int().meta({ description: 'The HTTP status.' }),
      status: z.string().meta({ description: 'The google.rpc code.', examples: ['NOT_FOUND'] }),
      message: z.string(),
      details: z.array(z.looseObject({ '@type': z.string() })).meta({
        description:
          'A google.rpc.ErrorInfo with the reason, and a google.rpc.BadRequest with invalid fields.',
      }),
    }),
  })
  .meta({ id: 'A2AStatus' });

export function describeA2APaths(headers: Headers): ZodOpenApiPathsObject {
  const described = Object.entries(agents).flatMap(([prefix, route]) =>
    httpOperations.flatMap((operation) =>
      operation.verbs.map((verb) => ({
        path: `${route.path}/rest${operation.path}`,
        verb: verb.toLowerCase(),
        operation: describeOperation({ prefix, route, operation, verb, headers }),
      })),
    ),
  );
  const byPath = Map.groupBy(described, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, rows]) => [
      path,
      Object.fromEntries(rows.map(({ verb, operation }) => [verb, operation])),
    ]),
  );
}

const error = { $ref: `#/components/responses/${errorName}` } as const;
/** One by one, because generators of clients do not know ranges such as `4XX`. */
const errorResponses = {
  400: error,
  401: error,
  403: error,
  404: error,
  413: error,
  415: error,
  429: error,
  500: error,
  503: error,
} as const;

interface Described {
  readonly prefix: string;
  readonly route: Route;
  readonly operation: HttpOperation;
  readonly verb: string;
  readonly headers: Headers;
}

function describeOperation({
  prefix,
  route,
  operation,
  verb,
  headers,
}: Described): ZodOpenApiOperationObject {
  const { method, verbs } = operation;
  const summary = summaries[method] ?? method;
  return {
    operationId: `${prefix}${method}${verbs.length > 1 && verb === 'POST' ? 'ByPost' : ''}`,
    tags: [route.tag],
    summary,
    description: `The method ${method} over HTTP+JSON. ${route.summary}.`,
    security: describeSecurity(route),
    requestParams: {
      path: pathParameters(route, operation),
      query: queryParameters(operation),
      header: z.object({
        'A2A-Version': z.literal('1.0').meta({ description: 'Required by A2A.' }),
        'A2A-Extensions': requestHeaders['A2A-Extensions'].schema(),
      }),
    },
    ...(operation.hasBody && { requestBody: requestBody(operation) }),
    responses: { ...success(operation, headers), ...errorResponses },
  };
}

function pathParameters({ params }: Route, { path }: HttpOperation): z.ZodObject {
  const own = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const isConfig = name === 'id' && path.startsWith('/tasks/{taskId}/');
    const what = isConfig ? 'The id of the push notification config.' : 'The id of the task.';
    return [name, z.string().meta({ description: what })] as const;
  });
  const shape = params instanceof z.ZodObject ? unwrapMembers(params.shape) : {};
  return z.object({ ...shape, ...Object.fromEntries(own) });
}

const schemas = { string: z.string(), integer: z.int(), boolean: z.boolean() } as const;

const queryParameters = ({ query = {} }: HttpOperation): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(query).map(([name, { type, description }]) => [
        name,
        schemas[type].optional().meta({ description }),
      ]),
    ),
  );

const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Where is my order 1042?' }] };
const examples: Readonly<Record<string, object>> = {
  SendMessage: { message },
  SendStreamingMessage: { message },
  CancelTask: {},
  CreateTaskPushNotificationConfig: { url: 'https://client.example.com/tasks', token: 'a-token' },
};

const requestBody = ({ method }: HttpOperation) => ({
  required: method !== 'CancelTask',
  description: `The parameters of ${method}, as the A2A specification describes them.`,
  content: { 'application/a2a+json': { schema: { type: 'object' as const }, example: examples[method] } },
});

const streaming: ReadonlySet<string> = new Set(['SendStreamingMessage', 'SubscribeToTask']);

function success({ method }: HttpOperation, headers: Headers) {
  const isStream = streaming.has(method);
  const schema = isStream
    ? { type: 'string' as const, contentMediaType: 'text/event-stream' }
    : { type: 'object' as const };
  return {
    200: {
      description: isStream
        ? 'Events as `data: {StreamResponse}` and an empty line.'
        : `What ${method} answers.`,
      headers,
      content: { [isStream ? 'text/event-stream' : 'application/a2a+json']: { schema } },
    },
  };
}
