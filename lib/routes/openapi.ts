// The route table as an OpenAPI 3.1 document, which `npm run openapi` writes. No function imports it:
// zod-openapi is a development dependency.
import * as z from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { getHeaderName, requestHeaders } from '#lib/http/request-headers.ts';
import { isPaged, type Route } from '#lib/http/route.ts';
import { registryRow } from '#lib/registry/row/row.ts';
import { a2aErrorResponse, describeA2APaths } from './openapi-a2a.ts';
import { describeOAuthPaths } from './openapi-oauth.ts';
import {
  jsonRpcResponses,
  mcpResponses,
  oauthResponses,
  pageResponses,
  problemComponents,
  problemExamples,
  problemResponses,
} from './openapi-problems.ts';
import { describeSecurity, securitySchemes } from './openapi-security.ts';
import { routeList } from './routes.ts';
import { sampleBody } from './samples.ts';
import { unwrapMembers } from './unwrap-lazy.ts';

export function openapiDocument(version: string) {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Agent Flow Service',
        version,
        summary:
          'Run agent flows, register them as A2A agents, and call them by API, by webhook or over A2A.',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: 'http://127.0.0.1:3000', description: 'This service.' }],
      tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
      paths: {
        ...describePaths(),
        ...describeA2APaths(onA2AAnswers),
        ...describeOAuthPaths(onEveryAnswer),
      },
      components: {
        securitySchemes,
        headers,
        responses: sharedResponses(),
        examples: problemExamples(routesWithProblems()),
      },
    },
    { override: ({ jsonSchema }) => modernExample(jsonSchema) },
  );
}

const description = [
  'Errors are `application/problem+json` (RFC 9457): `code` is stable, `errors` names each wrong field by its JSON pointer.',
  'Every answer carries `X-Request-Id`; quote it when you ask for help.',
].join(' ');

const tags = {
  Registry: 'Register builds of a flow, try them, promote one to live.',
  Triggers: 'Run the flow of a workspace: wait for the result, or hand it an event and go.',
  Automation:
    'Declare triggers with defaults and schedules, and say what each environment of a workspace runs.',
  Runs: 'Past runs and their results, and runs in progress.',
  A2A: 'The hosted agents, for A2A v1.0 clients.',
  Connector: 'The hosted agents as tools of an MCP server, for AI assistants.',
  Connections: 'Credentials that flows use, stored encrypted.',
  Access:
    'Sign-in, sessions, API keys, signing secrets, the audit trail, and the public keys that verify what the service signs.',
  Authorization:
    'The authorization server (OAuth 2.1) for AI assistants and other programs that act for a user.',
  Meta: 'About the service itself.',
} as const satisfies Record<Route['tag'], string>;

const headers = {
  RequestId: {
    description: 'The id of the request in the logs of the service.',
    schema: { type: 'string' },
    required: true,
  },
  RetryAfter: { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
  Location: { description: 'The path of what was created.', schema: { type: 'string' }, required: true },
  Link: {
    description: 'RFC 8288, `rel="next"`: the next page, if there is one.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of each quota (`r`), and the seconds until it is full again (`t`).',
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The quotas (`q` requests in `w` seconds) of the API key or user, and of the organisation.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Identifies this version of the content, for If-None-Match and If-Match.',
    schema: { type: 'string' },
  },
  A2AExtensions: {
    description:
      'The URIs of the extensions that the call has activated, separated by commas; absent without any.',
    schema: { type: 'string' },
  },
} as const;

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` }) as const;
const onEveryAnswer = { 'X-Request-Id': headerRef('RequestId') };
const onA2AAnswers = { ...onEveryAnswer, 'A2A-Extensions': headerRef('A2AExtensions') };

/** Responses that several operations share, each once. */
const sharedResponses = () => ({
  NotModified: {
    description: 'The caller has this version already: If-None-Match names its ETag.',
    headers: { ...onEveryAnswer, ETag: headerRef('ETag') },
  },
  StreamOver: {
    description: 'The run is over and the caller has seen all its events: there is nothing to reconnect for.',
    headers: onEveryAnswer,
  },
  ...problemComponents(routesWithProblems(), onEveryAnswer),
  ...a2aErrorResponse(onA2AAnswers),
});
const responseRef = (name: 'NotModified' | 'StreamOver') =>
  ({ $ref: `#/components/responses/${name}` }) as const;

function describePaths(): ZodOpenApiPathsObject {
  const byPath = Map.groupBy(routeList, ([, route]) => route.path);
  return Object.fromEntries(
    [...byPath].map(([path, rows]) => [
      path,
      Object.fromEntries(
        rows.map(([id, route]) => [route.method.toLowerCase(), describeOperation(id, route)]),
      ),
    ]),
  );
}

function describeOperation(operationId: string, route: Route): ZodOpenApiOperationObject {
  const or = route.orPermission ? ` or \`${route.orPermission}\`` : '';
  const permission = route.permission && `Needs the permission \`${route.permission}\`${or}.`;
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, permission].filter(Boolean).join('\n\n') || route.summary,
    security: describeSecurity(route),
    requestParams: {
      ...(route.params && { path: readParameters(route.params) }),
      ...(route.query && { query: readParameters(route.query) }),
      ...(route.requestHeaders && { header: headerParameters(route.requestHeaders) }),
    },
    ...requestBody(route),
    responses: {
      [`${route.response.status}` as const]: describeSuccess(route),
      ...(route.response.other && { [route.response.other.status]: describeOther(route.response.other) }),
      ...(route.requestHeaders?.includes('If-None-Match') && { 304: responseRef('NotModified') }),
      ...(route.requestHeaders?.includes('Last-Event-ID') && { 204: responseRef('StreamOver') }),
      ...(((route.form && isPage(route)) || route.redirects) && {
        303: { description: 'The next page is at the address in `Location`.', headers: onEveryAnswer },
      }),
      ...(route.errorForm === 'jsonRpc' && mcpResponses(onEveryAnswer)),
      ...errorResponses(route),
    },
  };
}

/** The routes whose errors are problem details. */
const routesWithProblems = (): Route[] =>
  routeList.flatMap(([, route]) => (isPage(route) || route.errorForm ? [] : [route]));

const isPage = ({ response }: Route): boolean => response.contentType === 'text/html';

function errorResponses(route: Route) {
  if (route.errorForm === 'jsonRpc') return jsonRpcResponses(route.errors, onEveryAnswer);
  if (route.errorForm === 'oauth') return oauthResponses(route.errors, onEveryAnswer);
  return isPage(route) && route.response.schema
    ? pageResponses(route.errors, onEveryAnswer, route.response.schema)
    : problemResponses(route.errors);
}

function readParameters(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return z.object(unwrapMembers(schema.shape));
  throw new Error('The parameters of a route must be a z.object.');
}

const headerParameters = (names: NonNullable<Route['requestHeaders']>) =>
  z.object(Object.fromEntries(names.map((row) => [getHeaderName(row), requestHeaders[row].schema()])));

function requestBody(route: Route) {
  if (route.rawBody) {
    const { description: text, example } = route.rawBody;
    const json = { schema: { type: 'object' as const }, example };
    const content = {
      'application/json': json,
      ...(route.rawBody.isOfAnyType && { 'application/x-www-form-urlencoded': json }),
    };
    return { requestBody: { required: true, description: text, content } };
  }
  if (route.form) {
    const { description: text, example } = route.form;
    const form = { schema: { type: 'object' as const }, example };
    return {
      requestBody: {
        required: true,
        description: text,
        content: { 'application/x-www-form-urlencoded': form },
      },
    };
  }
  if (!route.body) return {};
  const json = { schema: route.body, example: sampleBody(route.entry) };
  const yaml = route.takesYaml && { 'application/yaml': json };
  return { requestBody: { required: true, content: { 'application/json': json, ...yaml } } };
}

function describeSuccess(route: Route) {
  const { status, description: text, schema, alternative, contentType = 'application/json' } = route.response;
  const isEventStream = route.rawBody !== undefined && route.transfer === 'stream';
  return {
    description: text,
    headers: { ...onEveryAnswer, ...successHeaders(route, status) },
    ...(schema && {
      content: {
        [contentType]: { schema: alternative ? z.union([schema, alternative]) : schema },
        ...(isEventStream && { 'text/event-stream': { schema: jsonRpcEvents } }),
      },
    }),
  };
}

/** Of any content: what a flow or the protocol of a sender says. */
const describeOther = ({ description: text }: NonNullable<Route['response']['other']>) => ({
  description: text,
  headers: onEveryAnswer,
  content: { '*/*': { schema: {} } },
});

/** Each event is one JSON-RPC response (A2A v1.0.1 §9.4.2). */
const jsonRpcEvents = {
  type: 'string' as const,
  contentMediaType: 'text/event-stream',
  description: 'Events as `data: {JSON-RPC response}` and an empty line.',
};

function successHeaders({ query, response, credentials, requestHeaders: taken }: Route, status: number) {
  return {
    ...(status === 201 && { Location: headerRef('Location') }),
    ...(credentials.length > 0 && {
      RateLimit: headerRef('RateLimit'),
      'RateLimit-Policy': headerRef('RateLimitPolicy'),
    }),
    ...(taken?.includes('A2A-Extensions') && { 'A2A-Extensions': headerRef('A2AExtensions') }),
    ...(isPaged({ query }) && { Link: headerRef('Link') }),
    ...((response.schema === registryRow || taken?.includes('If-None-Match')) && { ETag: headerRef('ETag') }),
  };
}

/** `example` is deprecated in OpenAPI 3.1; JSON Schema says `examples`. */
function modernExample(schema: { example?: unknown; examples?: unknown }): void {
  if (!('example' in schema)) return;
  schema.examples = [schema.example];
  delete schema.example;
}
