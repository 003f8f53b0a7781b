// What a row of the route table says. Plain data: API Gateway methods, functions with their permissions and environment, validation,
// local routing, OpenAPI and the completeness tests are all derived from it. Behaviour belongs in the function file.
import * as z from 'zod';
import type { CredentialKind } from '#lib/access/credential.ts';
import type { Permission } from '#lib/access/permission.ts';
import type { ErrorCode } from '#lib/errors.ts';
import type { BodyKind } from '#lib/limits/tenant-limits.ts';
import { type RequestHeader, requestHeaders } from './request-headers.ts';

/** One kind of use of one resource: the grant and the variables that go with it are in `lib/infra/resources.ts`. */
export type Use =
  | 'control.read'
  /** Builds of flows and what belongs to them. */
  | 'registry.write'
  /** What answers a request that is sent again with its Idempotency-Key. */
  | 'receipts.write'
  /** Declared triggers. */
  | 'triggers.write'
  /** Moves schedules on, or stops them. */
  | 'triggers.advance'
  | 'environments.write'
  | 'runs.read'
  /** Gets single items of runs by their ids, and nothing else of the runs table. */
  | 'runs.get'
  /** Queries the runs of a workspace or a flow. */
  | 'runs.list'
  | 'runs.write'
  | 'flowKey.seal'
  | 'flowKey.open'
  | 'signingKey.sign'
  | 'signingKey.publicKey'
  /** Derives the key of cursors. */
  | 'cursorKey.derive'
  /** Secrets that sign webhooks, sealed as they are stored, and nothing else of the control table. */
  | 'signingSecrets.read'
  | 'signingSecrets.write'
  /** Finds the runs that wait for a connection, and forgets that they do. */
  | 'waiting.take'
  | 'runQueue.send'
  | 'runQueue.park'
  /** What is known of messages that could not be run, and nothing else of the runs table. */
  | 'deadLetters.read'
  | 'deadLetters.write'
  | 'deliveryQueue.send'
  /** Notes how the callback of a run was delivered. */
  | 'deliveries.write'
  /** Reaches addresses that callers name, through the guarded fetch. */
  | 'callbacks.call'
  | 'models.call'
  /** Stores and deletes connections. */
  | 'connections.write'
  /** Keeps tokens of connections that were refreshed. */
  | 'connections.refresh'
  /** Stores API keys, and marks them as revoked. */
  | 'keys.create'
  | 'keys.revoke'
  /** Says when a key was used, and nothing else about it. */
  | 'keys.note'
  /** Writes records of the audit trail, and nothing else. */
  | 'audit.write'
  /** Counts requests together with the other processes. */
  | 'limits.count';

/** Seconds; API Gateway waits longer than the function runs, and the function longer than a run may take (design: the timeout ladder). */
export const timeoutLadder = {
  quick: { function: 20, integration: 25 },
  run: { function: 165, integration: 175 },
} as const;

/** Reads runs, and writes the end of an abandoned run before it is reported. */
export const endsAbandonedRuns = [
  'runs.read',
  'runs.write',
  'deliveryQueue.send',
] as const satisfies readonly Use[];

/** Starts runs without executing them. */
export const storesRuns = [
  'control.read',
  'flowKey.open',
  'flowKey.seal',
  'runs.read',
  'runs.write',
  'runQueue.send',
] as const satisfies readonly Use[];

/** Executes flows, for whichever trigger. */
export const runsFlows = [
  ...storesRuns,
  'models.call',
  'connections.refresh',
] as const satisfies readonly Use[];

export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  /** The function is `functions/{entry}.ts`, its test `test/api/{entry}.test.ts`, its sample event `events/{entry}.json`. */
  readonly entry: string;
  /** The `operation` in audit records, where it is not the entry: records keep the names that they were published with. */
  readonly auditName?: string;
  /** The surface: a section of the API's description, and the nested stack that holds the function. */
  readonly tag: 'Registry' | 'Triggers' | 'Automation' | 'Runs' | 'A2A' | 'Connections' | 'Access' | 'Meta';
  readonly summary: string;
  readonly description?: string;
  /** Accepted credentials; empty means open to all. */
  readonly credentials: readonly CredentialKind[];
  /** Accepts a request without any credentials; one with bad credentials is still refused. */
  readonly optionalCredentials?: boolean;
  /** Checked before the handler runs; A2A routes decide by visibility instead. */
  readonly permission?: Permission;
  /** Leaves an audit record of every request, as the routes of the management API do without this. */
  readonly audited?: true;
  readonly params?: P;
  readonly query?: Q;
  /** Optional headers that change what the route does; the function reads them. */
  readonly requestHeaders?: readonly RequestHeader[];
  /** A body that the endpoint parses and validates; without it the raw body is handed on. */
  readonly body?: B;
  /** Documents a body that the endpoint itself does not parse (JSON-RPC). */
  readonly rawBody?: { readonly description: string; readonly example: unknown };
  /** Whose limit holds for the body; 413 beyond. */
  readonly bodyKind?: BodyKind;
  readonly response: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly schema?: R;
    /** Another form of the answer, which a parameter asks for. */
    readonly alternative?: z.ZodType;
    /** `application/json` unless told. */
    readonly contentType?: string;
  };
  /** What the route can answer; a row lists only what its other columns do not imply. */
  readonly errors: readonly ErrorCode[];
  readonly uses: readonly Use[];
  readonly timeout: keyof typeof timeoutLadder;
  readonly transfer: 'buffered' | 'stream';
}

/** What the rows of the management API have in common. */
export const management = {
  credentials: ['apiKey', 'bearer'],
  timeout: 'quick',
  transfer: 'buffered',
} as const;

/** Completes a row, and keeps its schemas' types, which a plain annotation would widen. */
export const route = <
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
>(
  row: Route<P, Q, B, R>,
): Route<P, Q, B, R> => ({
  ...row,
  errors: [...impliedErrors(row), ...row.errors],
  uses: [...new Set([...impliedUses(row), ...row.uses])],
});

/** Checking credentials takes the public key and what is known of the key; pages have cursors. */
const impliedUses = ({ credentials, query }: Pick<Route, 'credentials'> & Queried): readonly Use[] => [
  ...(credentials.length > 0
    ? (['signingKey.publicKey', 'control.read', 'keys.note', 'limits.count'] as const)
    : []),
  ...(isPaged({ query }) ? (['cursorKey.derive'] as const) : []),
];

interface Queried {
  readonly query?: z.ZodType | undefined;
}

/** Whether the route answers in pages. */
export const isPaged = ({ query }: Queried): boolean =>
  query instanceof z.ZodObject && 'cursor' in query.shape;

/** Whether any request of a route can leave a record in the audit trail. */
export const mayBeAudited = ({ credentials }: Pick<Route, 'credentials'>): boolean => credentials.length > 0;

/** Which requests leave a record: all calls of the management API and of what else changes runs by hand, elsewhere those that were denied. None for those beyond the rate limits, which would cost a write each. */
export function isAudited(row: Route, status: number): boolean {
  if (!mayBeAudited(row) || status === 429) return false;
  const isManagement = row.permission !== undefined && managementTags.has(row.tag);
  return isManagement || row.audited === true || status === 401 || status === 403;
}

const managementTags: ReadonlySet<Route['tag']> = new Set([
  'Registry',
  'Automation',
  'Connections',
  'Access',
]);

function impliedErrors(row: Omit<Route, 'errors'>): ErrorCode[] {
  return [
    ...(row.body ? (['malformed_json'] as const) : []),
    ...(row.body || row.rawBody ? (['unsupported_media_type'] as const) : []),
    ...(row.requestHeaders ?? []).flatMap((name) => requestHeaders[name].errors),
    // Every route refuses query parameters that it does not know.
    'validation_failed',
    ...(row.credentials.length > 0 ? (['unauthenticated', 'rate_limited'] as const) : []),
    ...(row.permission ? (['permission_denied'] as const) : []),
    ...(row.bodyKind === undefined ? [] : (['payload_too_large'] as const)),
    ...(row.uses.length > 0 ? (['dependency_unavailable'] as const) : []),
  ];
}

/**
 * The methods under which a route is served: its own, and HEAD where that is GET (RFC 9110, section 9.3.2). A stream of events
 * has no HEAD: a request for its headers alone would still count as a follower.
 */
export const servedMethods = ({ method, response }: Route): readonly string[] =>
  method === 'GET' && response.contentType !== 'text/event-stream' ? ['GET', 'HEAD'] : [method];
