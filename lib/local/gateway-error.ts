// Errors of the gateway itself, which never reach a function: their types, default status and text, and the
// gateway responses of the template.
import type { IncomingMessage } from 'node:http';
import { accountId } from './account.ts';
import type { Api, GatewayResponse } from './api.ts';
import { type RequestIdentity, splitUrl } from './proxy-event.ts';

/** [status, message], by the response types of the API Gateway developer guide. */
const failures = {
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token'],
  UNAUTHORIZED: [401, 'Unauthorized'],
  ACCESS_DENIED: [403, 'User is not authorized to access this resource with an explicit deny'],
  AUTHORIZER_FAILURE: [500, 'Internal server error'],
  AUTHORIZER_CONFIGURATION_ERROR: [500, 'Internal server error'],
  REQUEST_TOO_LARGE: [413, 'Request Too Long'],
  HEADERS_TOO_LARGE: [431, 'Request Header Fields Too Large'],
  INTEGRATION_TIMEOUT: [504, 'Endpoint request timed out'],
  FUNCTION_FAILED: [502, 'Internal server error'],
  /** Not sent, since the client has disconnected. */
  CLIENT_LEFT: [499, 'Client closed the connection'],
} as const;

export type Failure = keyof typeof failures;

export class GatewayError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, cause?: unknown) {
    super(failures[failure][1], { cause });
    this.name = 'GatewayError';
    this.failure = failure;
  }
}

export type GatewayAnswer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The gateway response of this type, or the default of its class, or the default of API Gateway. */
export function gatewayAnswer(
  { failure, message }: GatewayError,
  request: IncomingMessage,
  api: Api,
  identity: RequestIdentity,
): GatewayAnswer {
  const [usualStatus] = failures[failure];
  const byClass = usualStatus < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const response = api.gatewayResponses.get(failure) ?? api.gatewayResponses.get(byClass);
  const context = errorContext(failure, message, request, api, identity);
  const [contentType, template] = templateFor(response, request.headers.accept);
  return {
    statusCode: response?.StatusCode ?? usualStatus,
    headers: { 'content-type': contentType, ...parameterHeaders(response, context, request) },
    body: template.replace(
      /\$context\.([a-zA-Z.]*[a-zA-Z])/g,
      (_whole, path: string) => context.get(path) ?? '',
    ),
  };
}

function templateFor(response: GatewayResponse | undefined, accept = ''): readonly [string, string] {
  const templates = Object.entries(response?.ResponseTemplates ?? {});
  const accepted = templates.find(([type]) => accept.includes(type));
  return accepted ?? templates[0] ?? ['application/json', '{"message":$context.error.messageString}'];
}

/**
 * Sets `gatewayresponse.header.Name` to a literal in quotes, a context variable or a header of the request.
 */
function parameterHeaders(
  response: GatewayResponse | undefined,
  context: ReadonlyMap<string, string>,
  request: IncomingMessage,
): Record<string, string> {
  const prefix = 'gatewayresponse.header.';
  const entries = Object.entries(response?.ResponseParameters ?? {}).filter(([name]) =>
    name.startsWith(prefix),
  );
  const resolveParameter = (source: string) => {
    if (source.startsWith("'")) return source.slice(1, -1);
    if (source.startsWith('context.')) return context.get(source.slice('context.'.length)) ?? '';
    return String(request.headers[source.replace('method.request.header.', '').toLowerCase()] ?? '');
  };
  return Object.fromEntries(
    entries.map(([name, source]) => [name.slice(prefix.length).toLowerCase(), resolveParameter(source)]),
  );
}

function errorContext(
  failure: Failure,
  message: string,
  request: IncomingMessage,
  api: Api,
  identity: RequestIdentity,
): ReadonlyMap<string, string> {
  const [path] = splitUrl(request.url ?? '/');
  return new Map([
    ['requestId', identity.requestId],
    ['extendedRequestId', identity.extendedRequestId],
    ['requestTimeEpoch', String(identity.time.getTime())],
    ['error.message', message],
    ['error.messageString', JSON.stringify(message)],
    ['error.responseType', failure],
    ['accountId', accountId],
    ['apiId', api.id],
    ['stage', api.stage],
    ['path', path],
    ['httpMethod', request.method ?? ''],
    ['protocol', `HTTP/${request.httpVersion}`],
    ['domainName', request.headers.host ?? ''],
    ['identity.sourceIp', request.socket.remoteAddress ?? ''],
  ]);
}
