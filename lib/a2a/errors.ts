// The errors of A2A and their forms in both bindings (A2A v1.0.1 §5.4, §9.5, §11.6). No other file translates
// errors for A2A clients.
import type { FieldError } from '#lib/errors.ts';

/**
 * JSON-RPC code, HTTP status and google.rpc status of each error. The name is the reason in its ErrorInfo. The
 * first five are errors of JSON-RPC; METHOD_NOT_ALLOWED exists over HTTP only, where JSON-RPC has no such method.
 */
export const a2aErrors = {
  PARSE_ERROR: {
    code: -32700,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The body is not valid JSON.',
  },
  INVALID_REQUEST: {
    code: -32600,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The body is not a JSON-RPC 2.0 request.',
  },
  METHOD_NOT_FOUND: {
    code: -32601,
    httpStatus: 404,
    status: 'NOT_FOUND',
    message: 'There is no such method.',
  },
  METHOD_NOT_ALLOWED: {
    code: -32601,
    httpStatus: 405,
    status: 'UNIMPLEMENTED',
    message: 'The path does not have this method.',
  },
  INVALID_PARAMS: {
    code: -32602,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The parameters are not valid.',
  },
  INTERNAL_ERROR: {
    code: -32603,
    httpStatus: 500,
    status: 'INTERNAL',
    message: 'Something went wrong on our side.',
  },
  TASK_NOT_FOUND: {
    code: -32001,
    httpStatus: 404,
    status: 'NOT_FOUND',
    message: 'There is no such task.',
  },
  TASK_NOT_CANCELABLE: {
    code: -32002,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The task has ended.',
  },
  PUSH_NOTIFICATION_NOT_SUPPORTED: {
    code: -32003,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The agent does not send push notifications.',
  },
  UNSUPPORTED_OPERATION: {
    code: -32004,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The agent does not support this.',
  },
  CONTENT_TYPE_NOT_SUPPORTED: {
    code: -32005,
    httpStatus: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The agent does not accept this type of content.',
  },
  INVALID_AGENT_RESPONSE: {
    code: -32006,
    httpStatus: 500,
    status: 'INTERNAL',
    message: 'The response of the agent is not valid.',
  },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: {
    code: -32007,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The agent has no extended card.',
  },
  EXTENSION_SUPPORT_REQUIRED: {
    code: -32008,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The agent requires an extension.',
  },
  VERSION_NOT_SUPPORTED: {
    code: -32009,
    httpStatus: 400,
    status: 'FAILED_PRECONDITION',
    message: 'The agent does not support this version of A2A.',
  },
} as const satisfies Record<string, A2AErrorRow>;

interface A2AErrorRow {
  /** In a JSON-RPC error. */
  readonly code: number;
  readonly httpStatus: number;
  /** The name of the google.rpc code, in the body over HTTP. */
  readonly status: string;
  readonly message: string;
}

export type A2AErrorName = keyof typeof a2aErrors;

export class A2ARefusal extends Error {
  override readonly name = 'A2ARefusal';
  readonly reason: A2AErrorName;
  /** Their pointers begin with `/params`. */
  readonly violations: readonly FieldError[];
  /** Of its ErrorInfo. */
  readonly metadata: Readonly<Record<string, string>> | undefined;

  constructor(
    reason: A2AErrorName,
    message: string = a2aErrors[reason].message,
    violations: readonly FieldError[] = [],
    metadata?: Readonly<Record<string, string>>,
  ) {
    super(message);
    this.reason = reason;
    this.violations = violations;
    this.metadata = metadata;
  }
}

export type JsonRpcId = string | number | null;

/** The response of JSON-RPC. */
export function errorResponse(id: JsonRpcId, refusal: A2ARefusal) {
  const { code } = a2aErrors[refusal.reason];
  const data = [
    // The reasons of JSON-RPC's own errors are their codes.
    ...(isOfA2A(refusal) ? [errorInfo(refusal.reason, a2aDomain, refusal.metadata)] : []),
    ...badRequest(refusal.violations),
  ];
  const error = { code, message: refusal.message, ...(data.length > 0 && { data }) };
  return { jsonrpc: '2.0', id, error } as const;
}

/** The google.rpc.Status of the HTTP+JSON binding, in the form of AIP-193. */
export interface StatusBody {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly message: string;
    readonly details: readonly object[];
  };
}

export function toStatusBody(refusal: A2ARefusal): StatusBody {
  const { httpStatus, status } = a2aErrors[refusal.reason];
  const violations = refusal.violations.map(({ pointer, detail }) => ({
    pointer: pointer.replace(/^\/params(?=\/|$)/, ''),
    detail,
  }));
  const domain = isOfA2A(refusal) ? a2aDomain : serviceDomain;
  const info = errorInfo(refusal.reason, domain, refusal.metadata);
  const details = [info, ...badRequest(violations)];
  return { error: { code: httpStatus, status, message: refusal.message, details } };
}

const a2aDomain = 'a2a-protocol.org';
const serviceDomain = 'agent-flow';

const isOfA2A = ({ reason }: A2ARefusal): boolean => a2aErrors[reason].code > -32100;

const errorInfo = (
  reason: string,
  domain: string,
  metadata?: Readonly<Record<string, string>>,
): Record<string, unknown> => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain,
  ...(metadata && { metadata }),
});

function badRequest(violations: readonly FieldError[]): Record<string, unknown>[] {
  if (violations.length === 0) return [];
  const fieldViolations = violations.map(({ pointer, detail }) => ({ field: pointer, description: detail }));
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
}

/** An error of the HTTP layer, such as a missing credential, in the same form. */
export function toServiceStatusBody(problem: ServiceProblem): StatusBody {
  const { code, status, title, detail, errors = [] } = problem;
  const details = [errorInfo(code.toUpperCase(), serviceDomain), ...badRequest(errors)];
  return { error: { code: status, status: statusName(status), message: detail ?? title, details } };
}

interface ServiceProblem {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

/** The names that AIP-193 and google.rpc.Code have for these statuses. */
const statusNames: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const statusName = (status: number): string =>
  statusNames[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');
