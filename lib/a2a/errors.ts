// Converts errors to JSON-RPC (A2A v1.0.1 §5.4). No other file does.
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors';
import type { FieldError } from '#lib/errors.ts';

const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo';
const badRequest = 'type.googleapis.com/google.rpc.BadRequest';

export const a2aErrorTable = {
  PARSE_ERROR: { message: 'The body is not valid JSON.' },
  INVALID_REQUEST: { message: 'The body is not a JSON-RPC 2.0 request.' },
  METHOD_NOT_FOUND: { message: 'There is no such method.' },
  INVALID_PARAMS: { message: 'The parameters are not valid.' },
  INTERNAL_ERROR: { message: 'Something went wrong on our side.' },
  TASK_NOT_FOUND: { message: 'There is no such task.' },
  TASK_NOT_CANCELABLE: { message: 'The task has ended.' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { message: 'The agent does not send push notifications.' },
  UNSUPPORTED_OPERATION: { message: 'The agent does not support this.' },
  CONTENT_TYPE_NOT_SUPPORTED: { message: 'The agent does not accept this type of content.' },
  VERSION_NOT_SUPPORTED: { message: 'The agent does not support this version of A2A.' },
} as const satisfies Partial<Record<keyof typeof A2A_ERROR_CODE, { message: string }>>;

export type A2AErrorName = keyof typeof a2aErrorTable;

export class A2ARefusal extends Error {
  override readonly name = 'A2ARefusal';
  readonly reason: A2AErrorName;
  readonly violations: readonly FieldError[];

  constructor(
    reason: A2AErrorName,
    message: string = a2aErrorTable[reason].message,
    violations: readonly FieldError[] = [],
  ) {
    super(message);
    this.reason = reason;
    this.violations = violations;
  }
}

export type JsonRpcId = string | number | null;

export function errorResponse(id: JsonRpcId, refusal: A2ARefusal) {
  const data = toErrorDetails(refusal);
  const error = {
    code: A2A_ERROR_CODE[refusal.reason],
    message: refusal.message,
    ...(data.length > 0 && { data }),
  };
  return { jsonrpc: '2.0', id, error };
}

/** Errors of A2A name their reason in an ErrorInfo; those of JSON-RPC itself have none. */
function toErrorDetails(refusal: A2ARefusal): object[] {
  if (refusal.violations.length > 0) {
    const fieldViolations = refusal.violations.map(({ pointer, detail }) => ({
      field: pointer,
      description: detail,
    }));
    return [{ '@type': badRequest, fieldViolations }];
  }
  if (A2A_ERROR_CODE[refusal.reason] < -32099) return [];
  return [{ '@type': errorInfo, reason: refusal.reason, domain: 'a2a-protocol.org' }];
}
