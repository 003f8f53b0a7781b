// The responses of API Gateway to requests that it refuses itself: problem details (RFC 9457) like those of
// the functions.
import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { bearerChallenge } from '#lib/access/credential.ts';

interface GatewayProblem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  /** How to authenticate, for a 401 (RFC 9110 §11.6.1). */
  readonly challenge?: string;
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

/** All response types of API Gateway, because a missing type would get the status of its DEFAULT. */
const gatewayProblems = {
  MISSING_AUTHENTICATION_TOKEN: routeNotFound, // the type for an unknown path or method
  RESOURCE_NOT_FOUND: routeNotFound,
  DEFAULT_4XX: badRequest,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  UNAUTHORIZED: {
    status: 401,
    code: 'unauthenticated',
    title: 'Valid credentials are required',
    detail: 'Send valid credentials.',
    challenge: bearerChallenge,
  },
  ACCESS_DENIED: denied,
  EXPIRED_TOKEN: denied,
  INVALID_API_KEY: denied,
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
  QUOTA_EXCEEDED: throttled,
  DEFAULT_5XX: internal,
  API_CONFIGURATION_ERROR: internal,
  AUTHORIZER_CONFIGURATION_ERROR: internal,
  AUTHORIZER_FAILURE: internal,
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

export function addGatewayResponses(api: RestApi): void {
  for (const [type, problem] of Object.entries<GatewayProblem>(gatewayProblems)) {
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: String(problem.status),
      responseHeaders: headers(problem),
      // API Gateway falls back to this content type, so that it is sent whatever the client accepts.
      templates: { 'application/json': body(problem) },
    });
  }
}

/** Quoted values are literals; values without quotes are references. */
function headers({ retryAfterSeconds, challenge }: GatewayProblem): Record<string, string> {
  return {
    'Content-Type': "'application/problem+json'",
    'Cache-Control': "'no-store'",
    'X-Request-Id': 'context.requestId',
    'X-Content-Type-Options': "'nosniff'",
    // These texts are the same for everybody. A gateway response cannot depend on the origin.
    'Access-Control-Allow-Origin': "'*'",
    ...(retryAfterSeconds !== undefined && { 'Retry-After': `'${retryAfterSeconds}'` }),
    // Only a gateway response can set this header: API Gateway renames that of a function.
    ...(challenge !== undefined && { 'WWW-Authenticate': `'${challenge}'` }),
  };
}

function body({ status, code, title, detail }: GatewayProblem): string {
  return JSON.stringify({
    type: `urn:agent-flow:error:${code}`,
    title,
    status,
    detail,
    instance: '$context.requestId',
    code,
  });
}
