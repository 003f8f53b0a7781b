// The steps of every request, as middy middlewares, in this order: account, identify, bound, explain, accept.
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { agentKeyWanted } from '#lib/access/a2a-registry-access.ts';
import { type Caller, narrowToPermission, requireScope } from '#lib/access/caller.ts';
import { buildChallenge } from '#lib/access/challenge.ts';
import {
  authenticate,
  describeCredentials,
  type HeaderValues,
  hasCredentials,
} from '#lib/access/credential.ts';
import { type ErrorCode, errorTable, findWorkspace, ServiceError } from '#lib/errors.ts';
import { hasLongInteger } from '#lib/json/big-integers.ts';
import { consumeQuota, type RateLimitDecision } from '#lib/limits/consume-quota.ts';
import { type Log, requestLog } from '#lib/log.ts';
import { count, measure } from '#lib/metrics.ts';
import type { ProxyAnswer } from './answer.ts';
import { audit } from './audit-step.ts';
import { isYaml, parseBody, parseBuild, requireBodySize, requireJsonType } from './body-step.ts';
import { clientLeft } from './client-left.ts';
import { corsHeaders } from './cors.ts';
import { errorForms } from './error-forms.ts';
import { limitHeaders, requireQuota } from './limit-step.ts';
import { requireOwnPage } from './own-page-step.ts';
import { allowNamesMethods, asServiceError, type FormatProblem, problemAnswer } from './problem.ts';
import type { Request } from './request.ts';
import { requireSentOnce } from './request-headers.ts';
import { isAudited, type Route, servedMethods } from './route.ts';
import { surfaces, toStatusClass } from './surface.ts';
import { type RawInput, validate } from './validate.ts';
import type { YamlBody } from './yaml-body.ts';

/** What one step passes to the next ones. */
interface RequestState extends Record<string, unknown> {
  requestId: string;
  startedAt: number;
  log: Log;
  caller: Caller | undefined;
  /** Verifies the credential; called again while a request waits. */
  verify: () => Promise<Caller | undefined>;
  /** The workspace that the request itself names, once it is validated. */
  namedWorkspace: string | undefined;
  params: Readonly<Record<string, string | undefined>>;
  address: string | undefined;
  subpath: string;
  turns: readonly RateLimitDecision[] | undefined;
  /** As it was sent, before parsing. */
  rawBody: string;
  /** Of a body of YAML. */
  withPositions: YamlBody['withPositions'] | undefined;
  /** Names are in lower case. Headers of one name are joined to one list. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The values of each header, as often as they were sent. */
  headerValues: HeaderValues;
}
type Step = MiddlewareObj<unknown, ProxyAnswer, Error, Context, RequestState>;

const anonymous: Caller = { id: 'anonymous', orgid: '', workspaces: new Set(), scopes: new Set() };

/** Request id, log, metrics, and problem details for errors of the later steps. */
export function account(route: Route, formatProblem: FormatByAddress): Step {
  return {
    before: ({ event, context, internal }) => {
      internal.startedAt = Date.now();
      internal.requestId = proxyEvent(event).requestContext?.requestId ?? context.awsRequestId;
      internal.address = findAddress(route, proxyEvent(event).resource);
      const { subpath, ...params } = proxyEvent(event).pathParameters ?? {};
      internal.params = params;
      internal.subpath = subpath ?? '';
      internal.headerValues = groupHeaders(proxyEvent(event));
      internal.log = requestLog({ request_id: internal.requestId, route: route.entry });
      requireMethod(route, proxyEvent(event).httpMethod, internal.headerValues);
    },
    after: (request) => {
      if (!request.response) return;
      const { workspaceid, ...answer } = request.response;
      request.response = finish(route, request.internal, answer, { workspaceid });
    },
    onError: (request) => {
      const thrown = asServiceError(request.error);
      const error = request.internal.withPositions?.(thrown) ?? thrown;
      logFailure(request.internal.log, error);
      const { requestId, headerValues: sent, address, subpath } = request.internal;
      const answer = problemAnswer(error, requestId, {
        detail: publicDetail(route, error),
        challenge: findChallenge(route, error, sent),
        allow: error.code === 'method_not_allowed' ? listMethods(route) : undefined,
        format: formatProblem(address, subpath) ?? (route.errorForm && errorForms[route.errorForm]),
      });
      const workspaceid = findWorkspace(request.error);
      request.response = finish(route, request.internal, answer, { workspaceid, code: error.code });
    },
  };
}

/** Only where API Gateway does not check it. */
function requireMethod(route: Route, method: string | undefined, sent: HeaderValues): void {
  if (route.otherMethods !== 'byFunction' || servedMethods(route).includes(method ?? '')) return;
  if (method === 'OPTIONS' && route.optionsWith !== undefined && sent[route.optionsWith]) return;
  throw new ServiceError('method_not_allowed', { detail: allowNamesMethods });
}

const listMethods = (route: Route): string => [...servedMethods(route)].sort().join(', ');

/** The form of errors at an address of a route; undefined for problem details. */
export type FormatByAddress = (address: string | undefined, subpath: string) => FormatProblem | undefined;

const findAddress = ({ also = [] }: Route, resource: string | undefined): string | undefined =>
  also.find(({ path }) => path === resource)?.name;

/** Every fault of credentials has the same detail. Only a refusal of verified callers brings one of its own. */
function publicDetail({ credentials, tag }: Route, { code, detail }: ServiceError): string | undefined {
  if (code !== 'unauthenticated' || detail !== undefined) return detail;
  const wanted = describeCredentials(credentials);
  return tag === 'A2A' ? `${wanted} ${agentKeyWanted}` : wanted;
}

/** How to get what the request lacks, where that is a credential or a scope. */
function findChallenge(
  { resource }: Pick<Route, 'resource'>,
  { code, scopes }: ServiceError,
  sent: HeaderValues,
): string | undefined {
  if (code === 'insufficient_scope')
    return buildChallenge(resource, { error: code, ...(scopes && { scopes }) });
  if (errorTable[code].status !== 401) return undefined;
  return buildChallenge(resource, hasCredentials(sent) ? { error: 'invalid_token' } : {});
}

/** What the audit record has from an answer or an error. */
interface Finding {
  readonly workspaceid: string | undefined;
  readonly code?: ErrorCode;
}

function finish(
  route: Route,
  passing: RequestState,
  answer: ProxyAnswer,
  { workspaceid = passing.namedWorkspace, code }: Finding,
): ProxyAnswer {
  const status = answer.statusCode;
  if (isAudited(route, status))
    audit(route, { ...passing, workspaceid, status, code, location: answer.headers.location });
  reportRequest(route, passing, status);
  const headers = {
    ...limitHeaders(passing.turns, code),
    ...corsHeaders(route, passing.headerValues, answer),
    'x-request-id': passing.requestId,
    // Browsers must not guess another type than Content-Type, above all of an answer that repeats what a caller sent.
    'x-content-type-options': 'nosniff',
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The line of the metric is also the log line of the request, since CloudWatch charges for each line. */
export function reportRequest(
  route: Route,
  { requestId, startedAt, caller }: Pick<RequestState, 'requestId' | 'startedAt' | 'caller'>,
  status: number,
): void {
  const request = { message: 'request', request_id: requestId, route: route.entry, status: `${status}` };
  measure('Duration', Date.now() - startedAt, {
    dimensions: { surface: surfaces[route.tag], status_class: toStatusClass(status) },
    beside: { ...request, ...(caller && { caller: caller.id }) },
  });
}

export function logFailure(log: Log, error: ServiceError): void {
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const fields = { code: error.code, reason: cause ? describeCause(cause) : error.cause };
  if (errorTable[error.code].status >= 500) log.error('failed', { ...fields, stack: cause?.stack });
  else log.info('refused', fields);
  if (error.code === 'payload_unreadable') count('PayloadUnreadable');
}

/** With the code if there is one: some errors are named after their classes, which minification renames. */
const describeCause = (cause: Error & { readonly code?: unknown }): string =>
  `${typeof cause.code === 'string' ? cause.code : cause.name}: ${cause.message}`;

interface SentHeaders {
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
}

/** Before middy's normalizer, which keeps one value of two names that differ in case only. */
export function groupHeaders({ headers, multiValueHeaders }: SentHeaders): HeaderValues {
  const grouped = new Map<string, string[]>();
  for (const [name, value] of Object.entries(multiValueHeaders ?? headers ?? {})) {
    if (value === undefined) continue;
    const key = name.toLowerCase();
    grouped.set(key, (grouped.get(key) ?? []).concat(value));
  }
  return Object.fromEntries(grouped);
}

/** Several headers of one name mean the same as one with their values in a list (RFC 9110 §5.3). */
const joinHeaders = (sent: HeaderValues): RequestState['headers'] =>
  Object.fromEntries(Object.entries(sent).map(([name, values]) => [name, values?.join(', ')]));

/** Authenticates the caller, counts the request, and checks the permission of the route. */
export function identify(route: Route): Step {
  return {
    before: async ({ event, internal }) => {
      internal.headers = joinHeaders(internal.headerValues);
      internal.verify = async () =>
        await authenticate(route.credentials, internal.headerValues, {
          isOptional: route.optionalCredentials === true,
          resource: route.resource,
        });
      internal.caller = await internal.verify();
      if (!internal.caller) return;
      requireOwnPage(proxyEvent(event).httpMethod ?? route.method, internal.headerValues);
      internal.turns = await consumeQuota(internal.caller, internal.startedAt);
      requireQuota(internal.turns);
      if (route.permission)
        internal.caller = narrowToPermission(internal.caller, route.permission, route.orPermission);
      if (route.scope) requireScope(internal.caller, route.scope);
    },
  };
}

/** Keeps the body as it was sent, and refuses one that is too large or of another type before it is parsed. */
export function bound(route: Route): Step {
  return {
    before: ({ event, internal }) => {
      internal.rawBody = rawBody(proxyEvent(event));
      const { httpMethod, body } = proxyEvent(event);
      // What a method of another address does with its body is decided there.
      if (route.bodyKind && httpMethod === route.method) requireBodySize(route.bodyKind, body ?? '');
      const type = internal.headers['content-type'];
      if (isYaml(route, type)) return;
      if (route.body || (route.rawBody && !route.rawBody.isOfAnyType && internal.rawBody !== ''))
        requireJsonType(type);
    },
  };
}

/**
 * Middy's parser has `JSON.parse` call a function for each value, which takes ten times as long: 2 s of CPU for a build of 3 MB, but some 150 ms
 * for the other bodies, of 256 KB. So `accept` parses builds. The member names that the function looks for are refused by `validate` anyway.
 */
export const isParsedByMiddy = (route: Route): boolean =>
  route.body !== undefined && route.bodyKind !== 'build';

/** Replaces the general refusal of middy's parser by the reason and the position of the fault. */
export function explain(route: Route): Step {
  return {
    onError: (request) => {
      if (!isParserRefusal(request.error)) return;
      try {
        // One of the two throws.
        validate(route, rawInput(request, parseBody(request.internal.rawBody)));
      } catch (error) {
        if (error instanceof Error) request.error = error;
      }
    },
  };
}

const isParserRefusal = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === 422;

/** Parses the bodies that are not parsed yet, validates the input, and replaces the event by the request. */
export function accept(route: Route, loadYaml?: LoadYaml): Step {
  return {
    before: async (request) => {
      const { internal, context } = request;
      const body = await readBody(route, proxyEvent(request.event), internal, loadYaml);
      const input = validate(route, rawInput(request, body));
      requireSentOnce(route.requestHeaders ?? [], internal.headerValues);
      internal.namedWorkspace = findNamedWorkspace(input);
      request.event = {
        ...input,
        caller: internal.caller ?? anonymous,
        isAnonymous: internal.caller === undefined,
        arrival: proxyEvent(request.event).requestContext ?? {},
        method: proxyEvent(request.event).httpMethod ?? route.method,
        address: internal.address,
        subpath: internal.subpath,
        rawQuery: proxyEvent(request.event).multiValueQueryStringParameters ?? {},
        rawBody: internal.rawBody,
        headers: internal.headers,
        requestId: internal.requestId,
        at: new Date(internal.startedAt).toISOString(),
        log: internal.log,
        sourceIp: proxyEvent(request.event).requestContext?.identity?.sourceIp ?? '',
        remainingMs: () => context.getRemainingTimeInMillis(),
        ...watchAdmission(internal, clientLeft(context)),
      } satisfies Request;
    },
  };
}

/** Loads the reader of YAML, which only the functions that register flows have. */
export type LoadYaml = () => Promise<{ readonly readYamlBody: (text: string) => YamlBody }>;

async function readBody(
  route: Route,
  event: Partial<APIGatewayProxyEvent>,
  internal: RequestState,
  loadYaml: LoadYaml | undefined,
): Promise<unknown> {
  const { rawBody: text, headers } = internal;
  if (!loadYaml || !isYaml(route, headers['content-type'])) return readJsonBody(route, event, text);
  const { value, withPositions } = (await loadYaml()).readYamlBody(text);
  internal.withPositions = withPositions;
  return value;
}

/** Middy's parser rounds large integers. Few bodies have them, so only those are parsed again. */
function readJsonBody(route: Route, event: Partial<APIGatewayProxyEvent>, text: string): unknown {
  if (route.bodyKind === 'build') return parseBuild(text);
  // An empty body is not `null`.
  if (text === '') return undefined;
  return isParsedByMiddy(route) && hasLongInteger(text) ? parseBody(text) : event.body;
}

const findNamedWorkspace = ({ params, query }: Pick<Request, 'params' | 'query'>): string | undefined =>
  readText(params, 'workspace_id') ?? readText(query, 'workspaceid');

function readText(values: unknown, name: string): string | undefined {
  const value: unknown =
    typeof values === 'object' && values !== null ? Reflect.get(values, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** While the table of keys does not answer, the caller stays admitted, and the next heartbeat checks again. */
function watchAdmission(
  { verify, log }: RequestState,
  left: AbortSignal | undefined,
): Pick<Request, 'signal' | 'isAdmitted'> {
  const abort = new AbortController();
  if (left?.aborted) abort.abort();
  left?.addEventListener('abort', () => abort.abort(), { once: true });
  const isAdmitted = async () => {
    try {
      await verify();
      return true;
    } catch (error) {
      const isRefusal = error instanceof ServiceError && error.code === 'unauthenticated';
      log.info(isRefusal ? 'refused while it was answered' : 'the credential could not be verified again', {
        reason: error instanceof Error ? error.name : 'unknown',
      });
      if (isRefusal) abort.abort();
      return !isRefusal;
    }
  };
  return { signal: abort.signal, isAdmitted };
}

const rawInput = ({ event, internal }: Received, body: unknown): RawInput => ({
  params: internal.params,
  query: proxyEvent(event).multiValueQueryStringParameters ?? {},
  body,
});

interface Received {
  readonly event: unknown;
  readonly internal: Pick<RequestState, 'params'>;
}

function rawBody(event: Partial<APIGatewayProxyEvent>): string {
  return event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
}

/** The shape of the event is API Gateway's, and not checked. */
const proxyEvent = (event: unknown): Partial<APIGatewayProxyEvent> => event as Partial<APIGatewayProxyEvent>;
