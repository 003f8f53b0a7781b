// The one table of everything the service can refuse or fail with. Rules throw a ServiceError;
// `lib/http/problem.ts` (HTTP) and `lib/a2a/errors.ts` (JSON-RPC) translate it, and nothing else does.
import { boundedMistake, type FieldError, mistakesMax } from './mistakes.ts';

export type { FieldError } from './mistakes.ts';

export const errorTable = {
  sign_in_failed: { status: 400, title: 'You were not signed in' },
  authorization_failed: { status: 400, title: 'The account was not connected' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  malformed_yaml: { status: 400, title: 'The body is not valid YAML' },
  validation_failed: { status: 400, title: 'The request is not valid' },
  invalid_flow: { status: 400, title: 'The flow is not valid' },
  list_too_large: { status: 400, title: 'The list is too long for one answer' },
  unauthenticated: { status: 401, title: 'Valid credentials are required' },
  signature_invalid: { status: 401, title: 'The signature that the flow requires is missing or not valid' },
  cross_site_request: { status: 403, title: 'The request comes from another site or session' },
  permission_denied: { status: 403, title: 'The credentials lack a permission' },
  insufficient_scope: { status: 403, title: 'The access token lacks a scope' },
  not_a_member: { status: 403, title: 'You are not a member' },
  sign_in_not_configured: { status: 404, title: 'Nobody can sign in here' },
  route_not_found: { status: 404, title: 'No such route' },
  authorization_request_not_found: { status: 404, title: 'This request does not wait for an answer' },
  session_not_found: { status: 404, title: 'No such session' },
  row_not_found: { status: 404, title: 'No such registry row' },
  trigger_not_found: { status: 404, title: 'No such trigger' },
  environment_not_found: { status: 404, title: 'The environment has no settings' },
  member_not_found: { status: 404, title: 'No such member' },
  invitation_not_found: { status: 404, title: 'No such invitation' },
  workspace_not_found: { status: 404, title: 'No such workspace' },
  api_key_not_found: { status: 404, title: 'No such API key' },
  connection_not_found: { status: 404, title: 'No such connection' },
  event_not_run: { status: 404, title: 'The event could not be run' },
  run_input_not_kept: { status: 404, title: 'The input of the run was not kept' },
  run_values_not_kept: { status: 404, title: 'The values of the execution were not kept' },
  run_not_found: { status: 404, title: 'No such run', retryAfterSeconds: 2 },
  file_not_found: { status: 404, title: 'No such file' },
  signing_secret_not_found: { status: 404, title: 'No such signing secret' },
  notified_task_not_found: { status: 404, title: 'No such task' },
  configuration_link_not_found: { status: 404, title: 'This link does not work' },
  budget_not_found: { status: 404, title: 'No such budget' },
  memory_not_found: { status: 404, title: 'No such value or conversation' },
  dead_letter_not_found: { status: 404, title: 'No such dead letter' },
  method_not_allowed: { status: 405, title: 'The path does not have this method' },
  authorization_answered: { status: 409, title: 'This request has been answered' },
  configuration_link_used: { status: 409, title: 'This link has been used' },
  run_over: { status: 409, title: 'The run has ended' },
  run_not_forkable: { status: 409, title: 'The run cannot be forked there' },
  run_not_testable: { status: 409, title: 'The run cannot be made a test' },
  run_not_waiting: { status: 409, title: 'The run is not waiting for an answer' },
  run_busy: { status: 409, title: 'The run is processing another event', retryAfterSeconds: 2 },
  ambiguous_flow: { status: 409, title: 'Several workspaces have this flow' },
  trigger_disabled: { status: 409, title: 'The trigger is disabled' },
  trigger_kind_mismatch: { status: 409, title: 'The trigger cannot be used for this request' },
  trigger_id_taken: { status: 409, title: 'Another trigger has this id' },
  already_member: { status: 409, title: 'The person is a member already' },
  already_invited: { status: 409, title: 'The address has an open invitation' },
  last_owner: { status: 409, title: 'An organisation needs an owner' },
  workspace_id_taken: { status: 409, title: 'Another workspace has this id' },
  workspace_not_empty: { status: 409, title: 'The workspace is not empty' },
  pinned_build_gone: { status: 409, title: 'The build pinned to the environment was deleted' },
  promotion_conflict: { status: 409, title: 'A concurrent change was applied first', retryAfterSeconds: 1 },
  row_not_live: { status: 409, title: 'The row is not live' },
  no_former_build: { status: 409, title: 'There is no previous build to restore' },
  version_conflict: { status: 409, title: 'The row was changed by another request', retryAfterSeconds: 1 },
  idempotency_in_flight: { status: 409, title: 'The same request is being processed', retryAfterSeconds: 1 },
  configuration_link_expired: { status: 410, title: 'This link has expired' },
  precondition_failed: { status: 412, title: 'The row is not the version that If-Match names' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request' },
  run_failed: { status: 422, title: 'The run of the event failed' },
  rate_limited: { status: 429, title: 'The caller has sent too many requests', retryAfterSeconds: 10 },
  too_many_runs: { status: 429, title: 'Too many runs at the same time', retryAfterSeconds: 5 },
  budget_exhausted: { status: 429, title: 'The budget for models is exhausted', retryAfterSeconds: 3600 },
  file_quota_exceeded: {
    status: 429,
    title: 'The organisation has too many files',
    retryAfterSeconds: 3600,
  },
  internal: { status: 500, title: 'Something went wrong on our side' },
  payload_unreadable: { status: 500, title: 'The stored flow cannot be decrypted' },
  dependency_unavailable: {
    status: 503,
    title: 'A service we depend on is not available',
    retryAfterSeconds: 2,
  },
} as const satisfies Record<string, { status: number; title: string; retryAfterSeconds?: number }>;

export type ErrorCode = keyof typeof errorTable;

interface ErrorOptions {
  /** Shown to the caller. */
  readonly detail?: string;
  /** Shown to the caller, one per mistake; only the first ones of a long list. */
  readonly errors?: readonly FieldError[];
  /** How many mistakes there are, where `errors` are not all of them. */
  readonly errorsTotal?: number;
  /** Logged, never shown. */
  readonly cause?: unknown;
  /** For `insufficient_scope`: all scopes that the client should ask for. */
  readonly scopes?: readonly string[];
  /** Recorded in the audit trail, never shown. */
  readonly workspaceid?: string | undefined;
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly scopes: readonly string[] | undefined;
  /** How many mistakes there are; undefined where `errors` are all. */
  readonly errorsTotal: number | undefined;
  /**
   * The workspace of the resource that the request was about, where the request names the resource only.
   * Never shown.
   */
  readonly workspaceid: string | undefined;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.detail ?? errorTable[code].title, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.scopes = options.scopes;
    this.workspaceid = options.workspaceid;
    const total = options.errorsTotal ?? options.errors?.length ?? 0;
    this.errors = options.errors?.slice(0, mistakesMax).map(boundedMistake);
    this.errorsTotal = total > (this.errors?.length ?? 0) ? total : undefined;
  }
}

/**
 * Awaits work on a resource that the request names by its id only. Whatever the work throws, errors of
 * libraries too, names the workspace of the resource afterwards, so that the audit record of the refused
 * request has it.
 */
export async function inWorkspace<T>(
  { workspaceid }: { readonly workspaceid: string },
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && findWorkspace(error) === undefined) Object.assign(error, { workspaceid });
    throw error;
  }
}

/** The workspace that an error names. */
export const findWorkspace = (error: unknown): string | undefined =>
  error instanceof Error && 'workspaceid' in error && typeof error.workspaceid === 'string'
    ? error.workspaceid
    : undefined;
