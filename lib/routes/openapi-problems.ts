// The error answers of the OpenAPI document: by status, with one example per error code. Only lib/routes/openapi.ts imports it.
import { type ErrorCode, errorTable, type FieldError, ServiceError } from '#lib/errors.ts';
import { type Problem, problem, problemAnswer } from '#lib/http/problem.ts';

/** What API Gateway answers by itself, with codes that no function uses (lib/infra/gateway-responses.ts). */
const gatewayTable = {
  throttled: { status: 429, title: 'Too many requests', retryAfterSeconds: 1 },
  timeout: { status: 504, title: 'The answer took too long' },
} as const satisfies Record<string, { status: number; title: string; retryAfterSeconds?: number }>;

const table = { ...errorTable, ...gatewayTable } as const;
type ProblemCode = keyof typeof table;

/** What every route can answer, whatever its row says: a bug of ours, and whatever API Gateway answers in its place. */
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

/** All codes that a route can answer, its own and those of every route. */
export const codesOf = (errors: readonly ErrorCode[]): readonly ProblemCode[] => [
  ...new Set([...errors, ...everywhere]),
];

/** The `responses` of an operation for its errors, keyed by status. */
export function problemResponses(errors: readonly ErrorCode[], headers: object) {
  const byStatus = Map.groupBy(codesOf(errors), (code) => table[code].status);
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, codes]) => [`${status}` as const, problemResponse(codes, headers)]),
  );
}

/** The examples that the responses refer to, one per code. */
export function problemExamples() {
  const codes = Object.keys(table).filter(isCode);
  return Object.fromEntries(
    codes.map((code) => [code, { summary: table[code].title, value: exampleOf(code) }]),
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

const isCode = (code: string): code is ProblemCode => code in table;
const isErrorCode = (code: ProblemCode): code is ErrorCode => code in errorTable;

function exampleOf(code: ProblemCode): Problem {
  if (!isErrorCode(code)) {
    const { title, status } = table[code];
    return { type: 'about:blank', title, status, instance: exampleId, code };
  }
  const errors = mistakes[code];
  return problem.parse(
    JSON.parse(problemAnswer(new ServiceError(code, errors && { errors }), exampleId).body),
  );
}
