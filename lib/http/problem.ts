// Translates errors to HTTP as problem details (RFC 9457). No other file does; `lib/a2a/errors.ts` formats them for
// the HTTP+JSON binding of A2A.
import * as z from 'zod';
import { isTransientFailure } from '#lib/aws.ts';
import { errorTable, type FieldError, ServiceError } from '#lib/errors.ts';
import { addMistake, type MistakeList, mistakesMax } from '#lib/mistakes.ts';
import { truncateToJsonBytes } from '#lib/truncate.ts';
import { describeIssues } from '#lib/zod-messages.ts';

export const problem = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      type: z.string().meta({
        description: 'Names the kind of problem for machines.',
        example: 'urn:agent-flow:error:validation_failed',
      }),
      title: z.string(),
      status: z.int(),
      detail: z.string().optional(),
      instance: z.string().meta({ description: 'The request id, also in `X-Request-Id`.' }),
      code: z.string(),
      errors: z
        .array(
          z.strictObject({
            pointer: z
              .string()
              .meta({ description: 'RFC 6901, from `/body`, `/query`, `/path` or `/headers`.' }),
            detail: z.string(),
            line: z.int().optional().meta({ description: 'In a body of YAML: the line, from 1.' }),
            column: z.int().optional().meta({ description: 'The column, from 1.' }),
          }),
        )
        .max(mistakesMax)
        .optional()
        .meta({
          description: `The first ${mistakesMax} mistakes. A pointer or a detail that would be long ends with "…".`,
        }),
      errors_total: z
        .int()
        .optional()
        .meta({ description: 'How many mistakes were found, where more than those in `errors`.' }),
    })
    .meta({ id: 'Problem' }),
);
export type Problem = z.infer<typeof problem>;

/** In bytes of JSON; a detail may quote what a caller has sent. */
const detailBytesMax = 4_096;

interface ProblemAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface ProblemOptions {
  /** Replaces the detail of the error. */
  readonly detail?: string | undefined;
  /** The header `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
  /** The header `Allow`. */
  readonly allow?: string | undefined;
  readonly format?: FormatProblem | undefined;
}

/** The detail of every 405. */
export const allowNamesMethods = 'The header Allow names the methods of this path.';

/** Writes the error in another form than problem details. */
export type FormatProblem = (problem: Problem) => { readonly contentType: string; readonly body: string };

export const formatDetails: FormatProblem = (details) => ({
  contentType: 'application/problem+json',
  body: JSON.stringify(details),
});

export function problemAnswer(
  error: ServiceError,
  requestId: string,
  { detail = error.detail, challenge, allow, format = formatDetails }: ProblemOptions = {},
): ProblemAnswer {
  const row = errorTable[error.code];
  const { contentType, body } = format({
    type: `urn:agent-flow:error:${error.code}`,
    title: row.title,
    status: row.status,
    ...(detail !== undefined && { detail: truncateToJsonBytes(detail, detailBytesMax) }),
    instance: requestId,
    code: error.code,
    ...(error.errors && { errors: error.errors.map(toProblemError) }),
    ...(error.errorsTotal !== undefined && { errors_total: error.errorsTotal }),
  });
  return {
    statusCode: row.status,
    headers: {
      'content-type': contentType,
      'cache-control': 'no-store',
      ...('retryAfterSeconds' in row && { 'retry-after': String(row.retryAfterSeconds) }),
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
      // As in the 405 of API Gateway (lib/infra/other-methods.ts).
      ...(allow !== undefined && { allow, 'access-control-allow-origin': '*' }),
    },
    body,
  };
}

const toProblemError = ({ pointer, detail, line, column }: FieldError) => ({
  pointer,
  detail,
  ...(line !== undefined && { line }),
  ...(column !== undefined && { column }),
});

/** Any thrown value as a row of the error table. An unknown one is `internal`, without its text for the caller. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isTransientFailure(error)) return new ServiceError('dependency_unavailable', { cause: error });
  return new ServiceError('internal', { cause: error });
}

/** Adds zod's issues as mistakes; `root` is the part of the request that they are in. */
export function addIssues(
  list: MistakeList,
  root: 'body' | 'query' | 'path',
  issues: readonly z.core.$ZodIssue[],
): void {
  for (const { path, detail } of describeIssues(issues))
    addMistake(list, [root, ...pointerPath(root, path)], detail);
}

/** The pointer of a query parameter is its name, also when the parameter was sent several times. */
const pointerPath = (root: string, path: readonly PropertyKey[]): readonly PropertyKey[] =>
  root === 'query' ? path.slice(0, 1) : path;
