// Errors to HTTP: RFC 9457 problem details. The only place that does.
import * as z from 'zod';
import { bearerChallenge } from '#lib/access/credential.ts';
import { isTransientFailure } from '#lib/aws.ts';
import { errorTable, ServiceError } from '#lib/errors.ts';
import { addMistake, type MistakeList, mistakesMax } from '#lib/mistakes.ts';
import { truncateToJsonBytes } from '#lib/truncate.ts';
import { plainIssues } from '#lib/zod-messages.ts';

export const problem = z
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
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;

/** Of JSON: a detail may name what a caller has sent. */
const detailBytesMax = 4_096;

interface ProblemAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Said {
  /** In place of what the error says. */
  readonly detail?: string | undefined;
  /** Of a 401. */
  readonly challenge?: string;
}

export function problemAnswer(
  error: ServiceError,
  requestId: string,
  { detail = error.detail, challenge = bearerChallenge }: Said = {},
): ProblemAnswer {
  const row = errorTable[error.code];
  const body: Problem = {
    type: `urn:agent-flow:error:${error.code}`,
    title: row.title,
    status: row.status,
    ...(detail !== undefined && { detail: truncateToJsonBytes(detail, detailBytesMax) }),
    instance: requestId,
    code: error.code,
    ...(error.errors && { errors: error.errors.map(({ pointer, detail }) => ({ pointer, detail })) }),
    ...(error.errorsTotal !== undefined && { errors_total: error.errorsTotal }),
  };
  return {
    statusCode: row.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...('retryAfterSeconds' in row && { 'retry-after': String(row.retryAfterSeconds) }),
      ...(row.status === 401 && { 'www-authenticate': challenge }),
    },
    body: JSON.stringify(body),
  };
}

/** Whatever was thrown, as a row of the error table; what is unknown is `internal` and tells the caller nothing. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isTransientFailure(error)) return new ServiceError('dependency_unavailable', { cause: error });
  return new ServiceError('internal', { cause: error });
}

/** zod's issues as mistakes; `root` is the part of the request they are in. */
export function addIssues(list: MistakeList, root: 'body' | 'query' | 'path', issues: Issues): void {
  for (const issue of plainIssues(issues)) {
    if (issue.code !== 'unrecognized_keys')
      addMistake(list, [root, ...placeOf(root, issue.path)], issue.message);
    else
      for (const key of issue.keys)
        addMistake(
          list,
          [root, ...issue.path, key],
          `is not a known ${root === 'body' ? 'member' : 'parameter'}`,
        );
  }
}

type Issues = readonly z.core.$ZodIssue[];

/** A parameter has one name, also when it was given several times. */
const placeOf = (root: string, path: readonly PropertyKey[]): readonly PropertyKey[] =>
  root === 'query' ? path.slice(0, 1) : path;
