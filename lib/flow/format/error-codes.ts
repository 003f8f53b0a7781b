// All error codes with which a node can fail, by family, as listed in docs/flows.md. With them, the check of
// a flow finds patterns in `retry` and `catch` that match no error.
import { endsRun } from './node-error.ts';

/** The codes of HTTP statuses and of `fail` nodes are not listed. */
export const errorFamilies = {
  http: ['bad_url', 'bad_header', 'bad_body', 'bad_json', 'network'],
  egress: [
    'credentials_in_url',
    'downgrade',
    'encoding',
    'header',
    'host_not_listed',
    'private_address',
    'redirects',
    'request',
    'response',
    'scheme',
    'too_large',
    'url',
  ],
  model: [
    'bad_answer',
    'context_exceeded',
    'cut',
    'invalid_output',
    'not_configured',
    'rate_limited',
    'refused',
    'unavailable',
    'unsupported_input',
  ],
  guardrail: ['bad_answer', 'blocked', 'intervened'],
  file: ['bad_reference', 'not_found', 'not_uploaded', 'quota_exceeded', 'unavailable'],
  connection: ['expired', 'host', 'missing', 'refused', 'unavailable'],
  mcp: [
    'bad_answer',
    'bad_arguments',
    'error',
    'no_tool',
    'not_found',
    'rate_limited',
    'refused',
    'too_many_tools',
    'tool_error',
    'unauthorized',
    'unavailable',
  ],
  a2a: [
    'auth_required',
    'bad_agent',
    'bad_answer',
    'bad_context',
    'canceled',
    'error',
    'extension_required',
    'failed',
    'none_found',
    'not_found',
    'rate_limited',
    'rejected',
    'unauthorized',
    'unavailable',
    'unverified',
  ],
  flow: ['bad_variables', 'cycle', 'gone', 'limit', 'not_found', 'unavailable'],
  agent: ['max_turns', 'no_tool', 'too_many_tools'],
  expression: ['denied', 'error', 'missing', 'syntax', 'timeout', 'too_deep', 'too_large'],
  code: ['invalid_output', 'memory', 'syntax', 'threw', 'timeout', 'unavailable'],
  parallel: ['all_failed'],
  map: ['not_list', 'too_many'],
  merge: ['wrong_type'],
  ask: ['bad_choices', 'timeout'],
  wait: ['bad_key', 'bad_time', 'invalid_data', 'timeout'],
  store: ['bad_key', 'bad_version', 'conflict', 'unavailable'],
  switch: ['not_boolean'],
  end: ['not_object'],
  content: ['bad_artifact', 'bad_file', 'bad_message'],
  value: ['too_large'],
  schema: ['too_complex'],
  /** Errors of a called flow. Those of the run itself cannot be caught. */
  input: ['invalid', 'too_large'],
  output: ['invalid', 'too_large'],
  snapshot: ['unfit'],
  /** These end the run, as does `canceled`. */
  limit: [
    'budget',
    'depth',
    'events',
    'model_calls',
    'questions',
    'snapshot',
    'steps',
    'timeout',
    'tokens',
    'visits',
  ],
} as const;

export const loneErrors = ['timeout', 'fail', 'internal', 'canceled'] as const;

const listed: ReadonlySet<string> = new Set([
  ...loneErrors,
  ...Object.entries(errorFamilies).flatMap(([family, names]) => [
    `${family}.*`,
    ...names.map((name) => `${family}.${name}`),
  ]),
  'fail.*',
]);

/**
 * Whether a pattern of `on` matches any error after which a node can continue. Statuses below 200 and above
 * 599 fail with `egress.response`; those of 2xx are errors only of a node that does not `accept` them.
 */
export function isKnownPattern(pattern: string, hasAccept = false): boolean {
  if (pattern === '*' || pattern.startsWith('fail.')) return true;
  const statuses = hasAccept ? /^http\.[2345](\d\d|xx)$/ : /^http\.[345](\d\d|xx)$/;
  return !endsRun(pattern) && (listed.has(pattern) || statuses.test(pattern));
}

/** Longer than any code. */
const familyCharsMax = 200;

/**
 * All patterns that match whatever this pattern matches: for `http.404` also `http.4xx`, `http.*` and `*`.
 */
export function widerPatterns(pattern: string): readonly string[] {
  const families = [...pattern.slice(0, familyCharsMax).matchAll(/\./g)].map(
    ({ index }) => `${pattern.slice(0, index)}.*`,
  );
  const statusClass = /^http\.(\d)\d\d$/.exec(pattern)?.[1];
  return ['*', ...families, ...(statusClass === undefined ? [] : [`http.${statusClass}xx`]), pattern];
}
