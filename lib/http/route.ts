// The rows of the route table. They are plain data: API Gateway methods, functions with their permissions and
// environment, validation, local routing, OpenAPI, sample events and the tests of all routes are derived from
// them. Behaviour belongs in the function.
import * as z from 'zod';
import type { CredentialKind } from '#lib/access/credential.ts';
import type { AgentScope } from '#lib/access/oauth-scope.ts';
import type { Permission } from '#lib/access/permission.ts';
import type { Resource } from '#lib/access/resource.ts';
import type { ErrorCode } from '#lib/errors.ts';
import type { BodyKind } from '#lib/limits/tenant-limits.ts';
import { type RequestHeader, requestHeaders } from './request-headers.ts';

/**
 * One kind of use of one AWS resource; `lib/infra/resources.ts` has its permissions and environment
 * variables.
 */
export type Use =
  | 'control.read'
  /** Reads all items of a kind, of all organisations, and notes how far migrations are. No route may have it. */
  | 'migrations.run'
  /** Builds of flows and what belongs to them. */
  | 'registry.write'
  /** The stored answers to requests with an Idempotency-Key. */
  | 'receipts.write'
  /** Declared triggers. */
  | 'triggers.write'
  /** Sets the next time of schedules, or stops them. */
  | 'triggers.advance'
  | 'environments.write'
  | 'sinks.note'
  | 'runs.read'
  /** Only gets single items of runs by their ids. */
  | 'runs.get'
  /** Reads single runs and their events by their ids. */
  | 'runs.follow'
  /** Queries the runs of a workspace or a flow. */
  | 'runs.list'
  /** Queries the A2A tasks of a caller. */
  | 'tasks.list'
  | 'runs.write'
  /** Values that outlive runs. */
  | 'values.write'
  /** Creates files, and stores their content. */
  | 'files.write'
  /** Reads files and their content. */
  | 'files.read'
  /** Deletes files with their content, without reading them. */
  | 'files.delete'
  /** Only queries them. */
  | 'values.list'
  | 'values.delete'
  /** Only queries the counters of what models have used. */
  | 'usage.read'
  /** Stores the budgets of organisations, and what was spent of them. */
  | 'budgets.write'
  | 'code.evaluate'
  | 'cards.sign'
  | 'cardSignatures.write'
  | 'flowKey.seal'
  | 'flowKey.open'
  | 'signingKey.sign'
  | 'signingKey.publicKey'
  /** Derives the keys of cursors, of links to the configuration page, and of external ids. */
  | 'cursorKey.derive'
  /** Only the encrypted secrets that sign webhooks, of all that the control table holds. */
  | 'signingSecrets.read'
  | 'signingSecrets.write'
  /** Finds and removes the entries of runs that wait for a connection. */
  | 'waiting.take'
  /** Stores events for which runs wait, and finds and removes the entries of these runs. */
  | 'events.send'
  | 'runQueue.send'
  | 'runQueue.park'
  /** Only the dead letters, of all that the runs table holds. */
  | 'deadLetters.read'
  | 'deadLetters.write'
  | 'deliveryQueue.send'
  /** Records the delivery of a run's callback. */
  | 'deliveries.write'
  /** Sends requests to URLs of callers, through the guarded fetch. */
  | 'callbacks.call'
  | 'models.call'
  /** Only reads which models the tenant has. */
  | 'models.list'
  /** Stores and deletes connections. */
  | 'connections.write'
  /** Records that a link to the configuration page was used. */
  | 'configurationLinks.spend'
  /** Stores refreshed tokens of connections. */
  | 'connections.refresh'
  /** Assumes the roles of connections to AWS. */
  | 'roles.assume'
  /** Stores API keys, and marks them as revoked. */
  | 'keys.create'
  | 'keys.revoke'
  /** Only records when a key or a session was used. */
  | 'credentials.note'
  /** Stores and ends sessions. */
  | 'sessions.write'
  /** Stores clients, codes, refresh tokens and grants of the authorization server, and ends them. */
  | 'authorizations.write'
  /** Accepts invitations: a user becomes a member. */
  | 'members.join'
  /** Stores and withdraws invitations. */
  | 'invitations.write'
  /** Changes and removes members, and counts owners. */
  | 'members.write'
  /** Ends the sessions and grants of a former member. */
  | 'credentials.end'
  | 'workspaces.write'
  /** Asks the identity provider of the tenant who a person is. */
  | 'identityProvider.call'
  /** Creates accounts in the user pool of the tenant, if it has one. */
  | 'userPool.createAccount'
  /** Only writes records of the audit trail. */
  | 'audit.write'
  /** Counts requests in the table that all processes share. */
  | 'limits.count'
  /** Answers pages of the tenant's `browserOrigins`. */
  | 'origins.allow'
  /** Serves the card of the tenant's `rootAgent`. */
  | 'rootAgent.find'
  /** Offers the tools of the connector that the tenant has switched on. */
  | 'connectorTools.offer'
  /** Serves the AI Catalog of the tenant, or links to it. */
  | 'catalog.publish';

/**
 * In seconds. API Gateway waits longer than the function may run, and the function may run longer than a
 * flow.
 */
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

/** Shows runs to callers: the link to the configuration page is made for the principal of a run that waits. */
export const showsRuns = [...endsAbandonedRuns, 'cursorKey.derive'] as const satisfies readonly Use[];

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
  'values.write',
  'files.read',
  'files.write',
  'deliveryQueue.send',
  'models.call',
  'code.evaluate',
  'connections.refresh',
  'roles.assume',
  'cursorKey.derive',
  'budgets.write',
] as const satisfies readonly Use[];

export type ErrorForm = 'jsonRpc' | 'oauth';

export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  /**
   * API Gateway passes all methods of the path to the function, which answers 405 to those that it does not have, in
   * place of a method of API Gateway: that saves one resource in the stack of a tenant, and two where the method is
   * GET. Only where the path has no other row and no `crossOrigin`
   * (docs/decisions/0022-nested-stacks.md).
   */
  readonly otherMethods?: 'byFunction';
  /** Also takes OPTIONS with this header, in lower case, which the function answers. Only with `otherMethods`. */
  readonly optionsWith?: string;
  /** Other addresses that the same function serves. */
  readonly also?: readonly OtherAddress[];
  /**
   * The function is `functions/{entry}.ts`, its test `test/api/{entry}.test.ts`, its sample event
   * `events/{entry}.json`.
   */
  readonly entry: string;
  /**
   * The `operation` in audit records, where it is not the entry: records keep the names that they were
   * published with.
   */
  readonly auditName?: string;
  /** The section of the API's description, and the nested stack of the function. */
  readonly tag:
    | 'Registry'
    | 'Triggers'
    | 'Automation'
    | 'Runs'
    | 'A2A'
    | 'Connector'
    | 'Connections'
    | 'Access'
    | 'Authorization'
    | 'Meta';
  readonly summary: string;
  readonly description?: string;
  /** Accepted credentials; empty means open to all. */
  readonly credentials: readonly CredentialKind[];
  /** Accepts a request without any credentials; one with bad credentials is still refused. */
  readonly optionalCredentials?: boolean;
  /** Checked before the handler runs; A2A routes decide by visibility instead. */
  readonly permission?: Permission;
  /** Is enough in its place. */
  readonly orPermission?: Permission;
  /** What an access token needs where other credentials need no permission. */
  readonly scope?: AgentScope;
  /** Access tokens must be for it; for the API unless given. */
  readonly resource?: Resource;
  /**
   * The pages of other origins that may read the answers in a browser: those of the tenant's
   * `browserOrigins`, and all pages where an answer is open to everybody.
   */
  readonly crossOrigin?: 'tenant' | 'all';
  /**
   * Writes an audit record of every request, which routes of the management API do anyway; or the function writes
   * records itself, since a request carries no credentials.
   */
  readonly audited?: true | 'byFunction';
  readonly params?: P;
  readonly query?: Q;
  /** Headers that change what the route does; the function reads them. */
  readonly requestHeaders?: readonly RequestHeader[];
  /** A body that the endpoint parses and validates; without it the function receives the raw body. */
  readonly body?: B;
  /** Also accepts the body as YAML, for people who write it; the function gives the reader to `endpoint`. */
  readonly takesYaml?: true;
  /** Documents a body that the endpoint itself does not parse (JSON-RPC). */
  readonly rawBody?: {
    readonly description: string;
    readonly example: unknown;
    /** Bodies of other types than JSON reach the function too. */
    readonly isOfAnyType?: true;
  };
  /** Documents the form of a web page, which the function itself parses. */
  readonly form?: { readonly description: string; readonly example: Readonly<Record<string, string>> };
  /** A page that may lead to another one by 303, as every form does. */
  readonly redirects?: true;
  /** Selects the size limit of the body; 413 beyond it. */
  readonly bodyKind?: BodyKind;
  readonly response: {
    readonly status: 200 | 201 | 202 | 204;
    readonly description: string;
    readonly schema?: R;
    /** Another answer, which the resource that is called may select: JSON, unless it says otherwise. */
    readonly other?: { readonly status: 200; readonly description: string };
    /** Another form of the answer, selected by a parameter. */
    readonly alternative?: z.ZodType;
    /** Defaults to `application/json`. */
    readonly contentType?: string;
  };
  /** Errors are responses of JSON-RPC or of OAuth instead of problem details, also the 405 of the gateway. */
  readonly errorForm?: ErrorForm;
  /** The errors that the route can answer; a row lists only those that its other columns do not imply. */
  readonly errors: readonly ErrorCode[];
  readonly uses: readonly Use[];
  readonly timeout: keyof typeof timeoutLadder;
  readonly transfer: 'buffered' | 'stream';
}

/**
 * The path parameters are those of the row, and in `ANY` paths the greedy `{subpath+}`, which reaches the handler
 * as `request.subpath`. The handler tells the addresses apart by `name`.
 */
export interface OtherAddress {
  readonly name: string;
  readonly method: 'ANY' | 'GET' | 'POST';
  readonly path: `/${string}`;
}

/** What the rows of the management API have in common. */
export const management = {
  credentials: ['apiKey', 'bearer', 'session'],
  timeout: 'quick',
  transfer: 'buffered',
} as const;

/** Completes a row, and keeps the types of its schemas, which a plain annotation would widen. */
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

/** Checking credentials needs the signing key and the state of the API key; pages need the key of cursors. */
const impliedUses = ({
  credentials,
  query,
  crossOrigin,
}: Pick<Route, 'credentials' | 'crossOrigin'> & Queried): readonly Use[] => [
  ...(credentials.length > 0
    ? (['signingKey.publicKey', 'control.read', 'credentials.note', 'limits.count'] as const)
    : []),
  ...(isPaged({ query }) ? (['cursorKey.derive'] as const) : []),
  ...(crossOrigin ? (['origins.allow'] as const) : []),
];

interface Queried {
  readonly query?: z.ZodType | undefined;
}

/** Whether the route answers in pages. */
export const isPaged = ({ query }: Queried): boolean =>
  query instanceof z.ZodObject && 'cursor' in query.shape;

/** Whether a request of the route can leave an audit record. */
export const mayBeAudited = ({ credentials, audited }: Pick<Route, 'credentials' | 'audited'>): boolean =>
  credentials.length > 0 || audited === 'byFunction';

/**
 * All requests of the management API and of routes that change runs by hand leave an audit record, of other
 * routes the denied ones. Requests beyond the rate limits leave none, as each would cost a write, nor do methods
 * that the path does not have: they are refused before anybody is known, in most paths by API Gateway.
 */
export function isAudited(row: Route, status: number): boolean {
  if (!mayBeAudited(row) || row.audited === 'byFunction' || unaudited.has(status)) return false;
  const isManagement = row.permission !== undefined && managementTags.has(row.tag);
  return isManagement || row.audited === true || status === 401 || status === 403;
}

const unaudited: ReadonlySet<number> = new Set([405, 429]);

const managementTags: ReadonlySet<Route['tag']> = new Set([
  'Registry',
  'Automation',
  'Connections',
  'Access',
]);

function impliedErrors(row: Omit<Route, 'errors'>): ErrorCode[] {
  return [
    ...(row.body ? (['malformed_json'] as const) : []),
    ...(row.takesYaml ? (['malformed_yaml'] as const) : []),
    ...(row.body || (row.rawBody && !row.rawBody.isOfAnyType) || row.form
      ? (['unsupported_media_type'] as const)
      : []),
    ...(row.requestHeaders ?? []).flatMap((name) => requestHeaders[name].errors),
    ...(row.otherMethods ? (['method_not_allowed'] as const) : []),
    // Every route refuses query parameters that it does not know.
    'validation_failed',
    ...(row.credentials.length > 0 ? (['unauthenticated', 'rate_limited'] as const) : []),
    ...(row.permission ? (['permission_denied'] as const) : []),
    ...(row.permission || row.scope ? (['insufficient_scope'] as const) : []),
    ...(takesSession(row) ? (['cross_site_request'] as const) : []),
    ...(row.bodyKind === undefined ? [] : (['payload_too_large'] as const)),
    ...(row.uses.length > 0 ? (['dependency_unavailable'] as const) : []),
  ];
}

/** Whether an unsafe request may come with a session. */
const takesSession = ({ credentials, method, also = [] }: Omit<Route, 'errors'>): boolean =>
  credentials.includes('session') &&
  [method, ...also.map((each) => each.method)].some((each) => each !== 'GET');

/**
 * The methods under which a route is served: its own, and HEAD where that is GET (RFC 9110, section 9.3.2). A
 * stream of events has no HEAD: a request for its headers alone would still count as a follower.
 */
export const servedMethods = ({ method, response }: Route): readonly string[] =>
  method === 'GET' && response.contentType !== 'text/event-stream' ? ['GET', 'HEAD'] : [method];

interface ServedAddress {
  readonly path: `/${string}`;
  readonly methods: readonly string[];
}

/** All paths under which a route is served, with their methods. */
export const servedAddresses = (route: Route): readonly ServedAddress[] => [
  { path: route.path, methods: route.otherMethods === 'byFunction' ? ['ANY'] : servedMethods(route) },
  ...(route.also ?? []).map(({ path, method }) => ({
    path,
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  })),
];
