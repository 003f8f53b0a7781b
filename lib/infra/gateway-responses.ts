// The responses of API Gateway to requests that it refuses itself: problem details (RFC 9457) like those of
// the functions.
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { buildChallenge, type Challenge } from '#lib/access/challenge.ts';
import { describeCredentials } from '#lib/access/credential.ts';
import { errorTable } from '#lib/errors.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import { formatJsonRpcProblem } from '#lib/http/json-rpc-problem.ts';
import { routes } from '#lib/routes/routes.ts';

interface GatewayProblem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  /** How to authenticate, for a 401 (RFC 9110 §11.6.1), or how to get the scopes that are missing. */
  readonly challenge?: Pick<Challenge, 'error'>;
  /** Only of the authorizer, and so only of the connector, whose errors are responses of JSON-RPC. */
  readonly isJsonRpc?: true;
}

const routeNotFound: GatewayProblem = {
  status: 404,
  code: 'route_not_found',
  title: 'No such route',
  detail: 'No route has this method and path; see /openapi.json.',
};
const badRequest: GatewayProblem = {
  status: 400,
  code: 'validation_failed',
  title: 'The request is not valid',
  detail: 'API Gateway could not read the request.',
};
const denied: GatewayProblem = {
  status: 403,
  code: 'permission_denied',
  title: 'The request is not allowed',
  detail: 'API Gateway refused the request.',
};
const throttled: GatewayProblem = {
  status: 429,
  code: 'throttled',
  title: 'Too many requests',
  detail: 'Slow down and try again after the time in Retry-After.',
  retryAfterSeconds: 1,
};
const internal: GatewayProblem = {
  status: 500,
  code: 'internal',
  title: 'Something went wrong on our side',
  detail: 'API Gateway could not process the request.',
};

/**
 * The response types of API Gateway but those that have the status and the text of their DEFAULT, which they get, and
 * those of keys and quotas of its own (INVALID_API_KEY, QUOTA_EXCEEDED), which no method uses.
 */
const gatewayProblems = {
  MISSING_AUTHENTICATION_TOKEN: routeNotFound, // the type for an unknown path or method
  RESOURCE_NOT_FOUND: routeNotFound,
  DEFAULT_4XX: badRequest,
  UNAUTHORIZED: {
    status: 401,
    code: 'unauthenticated',
    title: errorTable.unauthenticated.title,
    detail: describeCredentials(routes.callConnector.credentials),
    challenge: {},
    isJsonRpc: true,
  },
  ACCESS_DENIED: {
    status: 403,
    code: 'insufficient_scope',
    title: errorTable.insufficient_scope.title,
    detail: 'The access token lacks one of the scopes agents:read and agents:call.',
    challenge: { error: 'insufficient_scope' },
    isJsonRpc: true,
  },
  AUTHORIZER_FAILURE: {
    status: 503,
    code: 'dependency_unavailable',
    title: errorTable.dependency_unavailable.title,
    detail: 'The credential could not be checked; try again.',
    retryAfterSeconds: 2,
    isJsonRpc: true,
  },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    code: 'internal',
    title: internal.title,
    detail: 'API Gateway could not check the credential.',
    isJsonRpc: true,
  },
  EXPIRED_TOKEN: denied,
  INVALID_SIGNATURE: denied,
  WAF_FILTERED: denied,
  REQUEST_TOO_LARGE: {
    status: 413,
    code: 'payload_too_large',
    title: 'The body is too large',
    detail: 'API Gateway takes requests of up to 10 MB.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    code: 'unsupported_media_type',
    title: 'The content type is not supported',
    detail: 'Send application/json.',
  },
  THROTTLED: throttled,
  DEFAULT_5XX: internal,
  INTEGRATION_FAILURE: {
    status: 503,
    code: 'dependency_unavailable',
    title: 'A service we depend on is not available',
    detail: 'The request could not be handed to its function.',
    retryAfterSeconds: 2,
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    code: 'timeout',
    title: 'The answer took too long',
    detail: 'The function did not answer in time; it may still finish its work.',
  },
} as const satisfies Record<string, GatewayProblem>;

export function addGatewayResponses(api: RestApi, serviceUrl: string): void {
  for (const [type, problem] of Object.entries<GatewayProblem>(gatewayProblems)) {
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(problem.status),
      responseHeaders: headers(problem, serviceUrl),
      // API Gateway falls back to this content type, so that it is sent whatever the client accepts.
      templates: { 'application/json': body(problem) },
    });
  }
}

/** Quoted values are literals; values without quotes are references. */
function headers(
  { retryAfterSeconds, challenge, isJsonRpc }: GatewayProblem,
  serviceUrl: string,
): Record<string, string> {
  return {
    'Content-Type': isJsonRpc ? "'application/json'" : "'application/problem+json'",
    'Cache-Control': "'no-store'",
    'X-Request-Id': 'context.requestId',
    'X-Content-Type-Options': "'nosniff'",
    // These texts are the same for everybody. A gateway response cannot depend on the origin.
    'Access-Control-Allow-Origin': "'*'",
    ...(retryAfterSeconds !== undefined && { 'Retry-After': `'${retryAfterSeconds}'` }),
    // Only a gateway response can set this header: API Gateway renames that of a function.
    ...(challenge && {
      'WWW-Authenticate': `'${buildChallenge('connector', { ...challenge, serviceUrl })}'`,
      'Access-Control-Expose-Headers': `'${anyOrigin['access-control-expose-headers']}'`,
    }),
  };
}

function body({ status, code, title, detail, isJsonRpc }: GatewayProblem): string {
  const problem = {
    type: `urn:agent-flow:error:${code}`,
    title,
    status,
    detail,
    instance: '$context.requestId',
    code,
  };
  return isJsonRpc ? formatJsonRpcProblem(problem).body : JSON.stringify(problem);
}
