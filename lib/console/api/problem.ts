// Errors of the API as the pages show them (RFC 9457).

export interface Problem {
  /** 0 if the service could not be reached. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
  readonly fields?: readonly { readonly pointer: string; readonly detail: string }[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    const { status } = this.problem;
    return status === 0 || status === 429 || status >= 500;
  }
}

export async function readProblem(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const body = await response.json().catch(() => ({}));
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError({
    status,
    code: String(body.code ?? 'unknown'),
    title: String(body.title ?? `The service answered ${status}`),
    detail: typeof body.detail === 'string' ? body.detail : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    fields: Array.isArray(body.errors) ? body.errors : undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** There is no such thing, or the address has what cannot be the id of one. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && [400, 404].includes(error.problem.status);

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.status === 401;
