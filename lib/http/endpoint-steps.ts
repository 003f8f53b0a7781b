// The steps every request passes, as middy middlewares, in this order: account, identify, bound, explain, accept.
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { agentKeyWanted } from '#lib/access/a2a-registry-access.ts';
import type { Caller } from '#lib/access/caller.ts';
import { authenticate, challengeTo, credentialsWanted, type HeaderValues } from '#lib/access/credential.ts';
import { requirePermission } from '#lib/access/permission.ts';
import { type ErrorCode, errorTable, ServiceError } from '#lib/errors.ts';
import { type NamedTurn, takeTurn } from '#lib/limits/consume-quota.ts';
import { type Log, requestLog } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import type { ProxyAnswer } from './answer.ts';
import { audit } from './audit-step.ts';
import { parseBody, requireBodySize, requireJsonType } from './body-step.ts';
import { clientLeft } from './client-left.ts';
import { limitHeaders, requireTurn } from './limit-step.ts';
import { asServiceError, problemAnswer } from './problem.ts';
import type { Request } from './request.ts';
import { requireSentOnce } from './request-headers.ts';
import type { Route } from './route.ts';
import { type RawInput, validate } from './validate.ts';

/** What one step leaves for the next. */
interface Passing extends Record<string, unknown> {
  requestId: string;
  startedAt: number;
  log: Log;
  caller: Caller | undefined;
  /** Verifies the credential again. */
  verify: () => Promise<Caller | undefined>;
  /** What the request turned out to be about, as far as it got. */
  workspaceid: string | undefined;
  params: Readonly<Record<string, string | undefined>>;
  turns: readonly NamedTurn[] | undefined;
  /** As it came, before anything parsed it. */
  rawBody: string;
  /** Names in lower case. What was sent several times is one list. */
  headers: Readonly<Record<string, string | undefined>>;
  /** As they came, each as often as it was sent. */
  headerValues: HeaderValues;
}
type Step = MiddlewareObj<unknown, ProxyAnswer, Error, Context, Passing>;

const anonymous: Caller = { id: 'anonymous', orgid: '', workspaces: new Set(), scopes: new Set() };

/** Request id, log, metrics, and problem details for whatever goes wrong later. */
export function account(route: Route): Step {
  return {
    before: ({ event, context, internal }) => {
      internal.startedAt = Date.now();
      internal.requestId = proxyEvent(event).requestContext?.requestId ?? context.awsRequestId;
      internal.params = proxyEvent(event).pathParameters ?? {};
      internal.headerValues = headerValues(proxyEvent(event));
      internal.log = requestLog({ request_id: internal.requestId, route: route.entry });
    },
    after: (request) => {
      if (request.response) request.response = finish(route, request.internal, request.response);
    },
    onError: (request) => {
      const error = asServiceError(request.error);
      logFailure(request.internal.log, error);
      const { requestId, headerValues: sent } = request.internal;
      const answer = problemAnswer(error, requestId, {
        detail: detailOf(route, error),
        challenge: challengeTo(sent),
      });
      request.response = finish(route, request.internal, answer, error.code);
    },
  };
}

/** Of all that may be wrong with credentials the caller hears the same. */
function detailOf({ credentials, tag }: Route, { code, detail }: ServiceError): string | undefined {
  if (code !== 'unauthenticated') return detail;
  const wanted = credentialsWanted(credentials);
  return tag === 'A2A' ? `${wanted} ${agentKeyWanted}` : wanted;
}

function finish(route: Route, passing: Passing, answer: ProxyAnswer, code?: ErrorCode): ProxyAnswer {
  const status = answer.statusCode;
  audit(route, { ...passing, status, code, location: answer.headers.location });
  countRequest(route, passing, status);
  const headers = {
    ...limitHeaders(passing.turns, code),
    'x-request-id': passing.requestId,
    // No answer is to be read as anything but its Content-Type says, least of all one that repeats what a caller sent.
    'x-content-type-options': 'nosniff',
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** The metric's line is the request's line in the log too: CloudWatch takes money for each. */
function countRequest(route: Route, { requestId, startedAt, caller }: Passing, status: number): void {
  const request = { message: 'request', request_id: requestId, duration_ms: `${Date.now() - startedAt}` };
  count(
    'Requests',
    { route: route.entry, status: `${status}` },
    { ...request, ...(caller && { caller: caller.id }) },
  );
}

function logFailure(log: Log, error: ServiceError): void {
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const fields = { code: error.code, reason: cause ? `${cause.name}: ${cause.message}` : error.cause };
  if (errorTable[error.code].status >= 500) log.error('failed', { ...fields, stack: cause?.stack });
  else log.info('refused', fields);
  if (error.code === 'payload_unreadable') count('PayloadUnreadable', {});
}

/** Before anything makes one name of two that differ in case, as that keeps one value of both. */
function headerValues({ headers, multiValueHeaders }: Partial<APIGatewayProxyEvent>): HeaderValues {
  const sent = Object.entries(multiValueHeaders ?? headers ?? {});
  const values = sent.flatMap(([name, value = []]) => [value].flat().map((each) => [name, each] as const));
  const grouped = Map.groupBy(values, ([name]) => name.toLowerCase());
  return Object.fromEntries([...grouped].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]));
}

/** RFC 9110 §5.3: several headers of one name mean what one does with their values in a list. */
const joined = (sent: HeaderValues): Passing['headers'] =>
  Object.fromEntries(Object.entries(sent).map(([name, values]) => [name, values?.join(', ')]));

/** Who calls, and whether they carry the route's permission. */
export function identify(route: Route): Step {
  return {
    before: async ({ internal }) => {
      internal.headers = joined(internal.headerValues);
      internal.verify = async () =>
        await authenticate(route.credentials, internal.headerValues, route.optionalCredentials === true);
      const caller = await internal.verify();
      const onWorkspace = (workspaceid: string) => {
        internal.workspaceid = workspaceid;
      };
      internal.caller = caller && { ...caller, onWorkspace };
      if (!internal.caller) return;
      internal.turns = await takeTurn(internal.caller, internal.startedAt);
      requireTurn(internal.turns);
      if (route.permission) requirePermission(internal.caller, route.permission);
    },
  };
}

/** Keeps the body as it came, and refuses one that is too large or of another type before anything parses it. */
export function bound(route: Route): Step {
  return {
    before: ({ event, internal }) => {
      internal.rawBody = rawBody(proxyEvent(event));
      if (route.bodyKind) requireBodySize(route.bodyKind, proxyEvent(event).body ?? '');
      if (route.body || route.rawBody) requireJsonType(internal.headers['content-type']);
    },
  };
}

/**
 * Middy's parser has `JSON.parse` call a function for each value, which takes ten times as long: 2 s of CPU for a build of 3 MB, but some 150 ms
 * for the other bodies, of 256 KB. So `accept` parses builds. The member names that the function looks for are refused by `validate` anyway.
 */
export const isParsedByMiddy = (route: Route): boolean =>
  route.body !== undefined && route.bodyKind !== 'build';

/** Says of a body that middy's parser refuses, always in the same words, what is wrong with it and where. */
export function explain(route: Route): Step {
  return {
    onError: (request) => {
      if (!isParserRefusal(request.error)) return;
      try {
        // One of them refuses it too.
        validate(route, rawInput(request.event, parseBody(request.internal.rawBody)));
      } catch (error) {
        if (error instanceof Error) request.error = error;
      }
    },
  };
}

const isParserRefusal = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === 422;

/** Parses what is not parsed yet, validates, and hands the function its request in place of the event. */
export function accept(route: Route): Step {
  return {
    before: (request) => {
      const { internal, context } = request;
      const body = route.bodyKind === 'build' ? parseBody(internal.rawBody) : proxyEvent(request.event).body;
      const input = validate(route, rawInput(request.event, body));
      requireSentOnce(route.requestHeaders ?? [], internal.headerValues);
      request.event = {
        ...input,
        caller: internal.caller ?? anonymous,
        isAnonymous: internal.caller === undefined,
        rawBody: internal.rawBody,
        headers: internal.headers,
        requestId: internal.requestId,
        at: new Date(internal.startedAt).toISOString(),
        log: internal.log,
        remainingMs: () => context.getRemainingTimeInMillis(),
        ...admission(internal, clientLeft(context)),
      } satisfies Request;
    },
  };
}

/** Without an answer from the table of keys the caller stays, and is asked about again with the next beat. */
function admission(
  { verify, log }: Passing,
  left: AbortSignal | undefined,
): Pick<Request, 'signal' | 'isAdmitted'> {
  const ending = new AbortController();
  if (left?.aborted) ending.abort();
  left?.addEventListener('abort', () => ending.abort(), { once: true });
  const isAdmitted = async () => {
    try {
      await verify();
      return true;
    } catch (error) {
      const isRefusal = error instanceof ServiceError && error.code === 'unauthenticated';
      log.info(isRefusal ? 'refused while it was answered' : 'the credential could not be verified again', {
        reason: error instanceof Error ? error.name : 'unknown',
      });
      if (isRefusal) ending.abort();
      return !isRefusal;
    }
  };
  return { signal: ending.signal, isAdmitted };
}

const rawInput = (event: unknown, body: unknown): RawInput => ({
  params: proxyEvent(event).pathParameters ?? {},
  query: proxyEvent(event).multiValueQueryStringParameters ?? {},
  body,
});

function rawBody(event: Partial<APIGatewayProxyEvent>): string {
  return event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString() : (event.body ?? '');
}

/** API Gateway's word is good for the event's shape. */
const proxyEvent = (event: unknown): Partial<APIGatewayProxyEvent> => event as Partial<APIGatewayProxyEvent>;
