// The error responses of the OpenAPI document: by status, with one example per error code. Only
// lib/routes/openapi.ts imports it.
import * as z from 'zod';
import { type ErrorCode, errorTable, type FieldError, ServiceError } from '#lib/errors.ts';
import { type Problem, problem, problemAnswer } from '#lib/http/problem.ts';

/**
 * The errors that API Gateway returns itself, with codes that no function uses
 * (lib/infra/gateway-responses.ts).
 */
const gatewayTable = {
  throttled: { status: 429, title: 'Too many requests', retryAfterSeconds: 1 },
  timeout: { status: 504, title: 'The answer took too long' },
} as const satisfies Record<string, { status: number; title: string; retryAfterSeconds?: number }>;

const table = { ...errorTable, ...gatewayTable } as const;
type ProblemCode = keyof typeof table;
const isCode = (code: string): code is ProblemCode => code in table;
const allCodes = Object.keys(table).filter(isCode);

/**
 * The errors that every route can return: failures of the service, and those that API Gateway returns itself.
 */
const everywhere = [
  'throttled',
  'internal',
  'dependency_unavailable',
  'timeout',
] as const satisfies ProblemCode[];

const exampleId = 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef';
const mistakes: Partial<Record<ErrorCode, readonly FieldError[]>> = {
  validation_failed: [{ pointer: '/body/agent_card/name', detail: 'is required: must be text' }],
  invalid_flow: [{ pointer: '/body/flow/nodes/classify/next', detail: 'names no node: "brunch"' }],
};

/** All codes that a route can return: those of its row, and those of every route. */
export const listCodes = (errors: readonly ErrorCode[]): readonly ProblemCode[] => [
  ...new Set([...errors, ...everywhere]),
];

/** The error responses of an operation by status, as references to `problemComponents`. */
export const problemResponses = (errors: readonly ErrorCode[]) =>
  Object.fromEntries(
    groupCodes(errors).map(([status, codes]) => [
      `${status}` as const,
      { $ref: `#/components/responses/${nameResponse(codes)}` } as const,
    ]),
  );

/** The error responses of a page, which are pages. */
export const pageResponses = (errors: readonly ErrorCode[], headers: object, schema: z.ZodType) =>
  Object.fromEntries(
    groupCodes(errors).map(([status, codes]) => [
      `${status}` as const,
      {
        description: `${codes.map((code) => table[code].title).join('; ')}.`,
        headers: { ...headers },
        // API Gateway answers for itself with problem details.
        content: { 'text/html': { schema }, 'application/problem+json': { schema: problem } },
      },
    ]),
  );

/** The responses of MCP itself (2026-07-28, Streamable HTTP), beside those of the HTTP layer. */
export const mcpResponses = (headers: object) => {
  const refused = { headers: { ...headers }, content: { 'application/json': { schema: jsonRpcError } } };
  return {
    202: { description: 'A notification was received.', headers: { ...headers } },
    404: { description: 'There is no such method (revision 2026-07-28).', ...refused },
    406: { description: '`Accept` must have `application/json` and `text/event-stream`.', ...refused },
  };
};

/** The error responses of a JSON-RPC route: the problem details are in `error.data`. */
export const jsonRpcResponses = (errors: readonly ErrorCode[], headers: object) =>
  Object.fromEntries(
    groupCodes(errors).map(([status, codes]) => [
      `${status}` as const,
      {
        description: `${codes.map((code) => `${table[code].title} (\`${code}\`)`).join('; ')}.`,
        headers: { ...headers },
        // API Gateway answers for itself with problem details.
        content: {
          'application/json': { schema: jsonRpcError },
          'application/problem+json': { schema: problem },
        },
      },
    ]),
  );

const jsonRpcError = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({
      code: z.int(),
      message: z.string(),
      data: z.union([problem, z.looseObject({})]).optional(),
    }),
  })
  .meta({ id: 'JsonRpcError' });

/** The error responses of an OAuth endpoint (RFC 6749 §5.2). oidc-provider authenticates clients. */
export const oauthResponses = (errors: readonly ErrorCode[], headers: object) => ({
  ...Object.fromEntries(
    groupCodes(errors).map(([status, codes]) => [
      `${status}` as const,
      oauthResponse(`${codes.map((code) => table[code].title).join('; ')}.`, headers),
    ]),
  ),
  401: oauthResponse('The client is not known, or its secret is not valid.', headers),
});

const oauthResponse = (description: string, headers: object) => ({
  description,
  headers: { ...headers },
  // API Gateway answers for itself with problem details.
  content: {
    'application/json': { schema: oauthError },
    'application/problem+json': { schema: problem },
  },
});

export const oauthError = z
  .object({
    error: z.string().meta({ description: 'A code of RFC 6749, RFC 7591, RFC 8707 or OpenID Connect.' }),
    error_description: z.string().optional(),
  })
  .meta({ id: 'OAuthError' });

/**
 * One response for each set of codes that share a status in some operation, by the name that operations refer
 * to.
 */
export function problemComponents(
  operations: readonly { readonly errors: readonly ErrorCode[] }[],
  headers: object,
) {
  const sets = operations.flatMap(({ errors }) => groupCodes(errors));
  const byName = new Map(sets.map(([, codes]) => [nameResponse(codes), codes]));
  return Object.fromEntries(
    [...byName]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, codes]) => [name, problemResponse(codes, headers)]),
  );
}

/** By status; the codes of one status are in the order of the error table. */
function groupCodes(errors: readonly ErrorCode[]) {
  const own = new Set(listCodes(errors));
  const codes = allCodes.filter((code) => own.has(code));
  return [...Map.groupBy(codes, (code) => table[code].status)].sort(([a], [b]) => a - b);
}

/** `rate_limited` and `throttled` share the response `RateLimitedOrThrottled`. */
const nameResponse = (codes: readonly ProblemCode[]): string => codes.map(toPascalCase).join('Or');
const toPascalCase = (code: string): string =>
  code.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The examples that the responses of these operations refer to, one per code. */
export function problemExamples(operations: readonly { readonly errors: readonly ErrorCode[] }[]) {
  const used = new Set(operations.flatMap(({ errors }) => listCodes(errors)));
  const codes = allCodes.filter((code) => used.has(code));
  return Object.fromEntries(
    codes.map((code) => [code, { summary: table[code].title, value: toExample(code) }]),
  );
}

function problemResponse(codes: readonly ProblemCode[], headers: object) {
  const canRetry = codes.some((code) => 'retryAfterSeconds' in table[code]);
  return {
    description: `${codes.map((code) => `${table[code].title} (\`${code}\`)`).join('; ')}.`,
    headers: { ...headers, ...(canRetry && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }) },
    content: {
      'application/problem+json': {
        schema: problem,
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

const isErrorCode = (code: ProblemCode): code is ErrorCode => code in errorTable;

function toExample(code: ProblemCode): Problem {
  if (!isErrorCode(code)) {
    const { title, status } = table[code];
    return { type: 'about:blank', title, status, instance: exampleId, code };
  }
  const errors = mistakes[code];
  return problem.parse(
    JSON.parse(problemAnswer(new ServiceError(code, errors && { errors }), exampleId).body),
  );
}
