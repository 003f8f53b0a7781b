// A client of the service made from the route table. It checks on every answer what holds for all of them, so
// that no test has to.
import { expect } from 'vitest';
import * as z from 'zod';
import { errorTable } from '#lib/errors.ts';
import { type Problem, problem } from '#lib/http/problem.ts';
import type { Route } from '#lib/http/route.ts';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import { serviceUrl } from './service-url.ts';

interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  /** A list sends the name several times. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly text?: string;
  /** In X-API-Key where the route takes it, else as a bearer token. */
  readonly key?: string;
  /** These win; an empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type BodyOf<Id extends OperationId> = z.output<NonNullable<(typeof routes)[Id]['response']['schema']>>;

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** As it came. */
  readonly text: string;
  /** The body of a success; after an error, reading it fails the test with that error. */
  readonly body: Body;
  /** The problem details of an error; after a success, reading them fails the test. */
  readonly problem: Problem;
}

export async function call<Id extends OperationId>(
  operationId: Id,
  options: CallOptions = {},
): Promise<Answer<BodyOf<Id>>> {
  const route: Route = routes[operationId];
  const sent = options.text ?? (options.body === undefined ? null : JSON.stringify(options.body));
  const response = await fetch(buildUrl(route, options), {
    method: route.method,
    body: sent,
    headers: buildHeaders(route, options, sent),
  });
  const text = await response.text();
  expect(response.headers.get('x-request-id'), `${operationId}: every answer has X-Request-Id`).toBeTruthy();
  if (response.status === 304) return unchanged<BodyOf<Id>>(operationId, response.headers, text);
  const parts = { status: response.status, headers: response.headers, text };
  return response.ok
    ? success<BodyOf<Id>>(operationId, route, parts)
    : failure<BodyOf<Id>>(operationId, route, parts);
}

export function buildUrl(
  route: Pick<Route, 'path'>,
  { params = {}, query = {} }: Pick<CallOptions, 'params' | 'query'> = {},
): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${route.path}: the test gives no ${name}.`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return `${serviceUrl()}${path}${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''}`;
}

function buildHeaders(route: Route, { key, headers = {} }: CallOptions, sent: string | null): Headers {
  const takesApiKey = route.credentials.includes('apiKey');
  const all = new Headers({
    ...(sent !== null && {
      'content-type': route.form ? 'application/x-www-form-urlencoded' : 'application/json',
    }),
    ...(key !== undefined && (takesApiKey ? { 'x-api-key': key } : { authorization: `Bearer ${key}` })),
    ...(route.rawBody && { 'a2a-version': '1.0' }),
    ...(route.errorForm === 'jsonRpc' && { accept: 'application/json, text/event-stream' }),
    ...headers,
  });
  for (const [name, value] of Object.entries(headers)) if (value === '') all.delete(name);
  return all;
}

function errorType({ response, errorForm }: Route): string {
  if (errorForm) return 'application/json';
  return response.contentType === 'text/html' ? 'text/html; charset=utf-8' : 'application/problem+json';
}

/** An error of JSON-RPC has them as its data. */
/** The problem details in an answer, for routes that have them in a form of their own too. */
export function readProblem({ errorForm }: Route, text: string): unknown {
  const content: unknown = JSON.parse(text);
  return errorForm === 'jsonRpc' ? jsonRpcProblem.parse(content).error.data : content;
}

const oauthError = z.object({ error: z.string(), error_description: z.string() });

/** An error of OAuth has neither the id of the request nor the status, and codes of its own. */
function readOAuthError({ status, headers, text }: Parts): Problem {
  const { error: code, error_description: detail } = oauthError.parse(JSON.parse(text));
  const instance = headers.get('x-request-id') ?? '';
  return { type: 'about:blank', title: code, status, instance, code, detail };
}

const jsonRpcProblem = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.strictObject({ code: z.int().negative(), message: z.string().min(1), data: z.unknown() }),
});

/** A page names the code of its error, the request, and parameters that are wrong. */
function readErrorPage({ status, text }: Parts): unknown {
  const read = (pattern: RegExp) => pattern.exec(text)?.[1];
  const mistakes = [...text.matchAll(/<li><code>(.*?)<\/code> (.*?)<\/li>/g)];
  return {
    type: 'about:blank',
    title: read(/<h1>(.*?)<\/h1>/),
    status,
    code: read(/<meta name="error-code" content="(\w+)">/),
    instance: read(/Reference: <code>(.*?)<\/code>/),
    errors: mistakes.map(([, name, detail]) => ({ pointer: `/query/${name}`, detail })),
  };
}

type Parts = Pick<Answer<unknown>, 'status' | 'headers' | 'text'>;

function success<Body>(operationId: string, route: Route, parts: Parts): Answer<Body> {
  const { status, other } = route.response;
  const isOther = parts.status === other?.status;
  if (!isOther) expect(parts.status, `${operationId}: the status of its row in the route table`).toBe(status);
  return {
    ...parts,
    // The test that asked for the other answer parses the text itself.
    body: isOther ? (undefined as Body) : parsedBody<Body>(operationId, route, parts),
    get problem(): Problem {
      throw new Error(`${operationId} answered ${parts.status}, expected an error: ${parts.text}`);
    },
  };
}

/** 304 has no body; which version it is, the ETag says. */
function unchanged<Body>(operationId: string, headers: Headers, text: string): Answer<Body> {
  const nothing = (): never => {
    throw new Error(`${operationId} answered 304, which has no body.`);
  };
  expect(text, `${operationId}: 304 has no body`).toBe('');
  expect(headers.get('etag'), `${operationId}: 304 has an ETag`).toBeTruthy();
  return {
    status: 304,
    headers,
    text,
    get body(): Body {
      return nothing();
    },
    get problem(): Problem {
      return nothing();
    },
  };
}

function parsedBody<Body>(operationId: string, { response }: Route, { headers, text }: Parts): Body {
  const { schema, alternative, contentType = 'application/json' } = response;
  const type = headers.get('content-type') ?? '';
  if (!schema) expect(text, `${operationId} has no body`).toBe('');
  if (!schema || type.startsWith('text/event-stream')) return undefined as Body;
  if (contentType === 'text/html') {
    expect(type).toBe('text/html; charset=utf-8');
    return text as Body;
  }
  expect(type).toBe(contentType);
  const content: unknown = JSON.parse(text);
  // The test that asked for the other form parses the text itself.
  if (alternative?.safeParse(content).success) return content as Body;
  const parsed = schema.safeParse(content);
  expect(parsed.error?.issues, `${operationId}: the body is not what its schema says`).toBeUndefined();
  return parsed.data as Body;
}

function failure<Body>(operationId: string, route: Route, parts: Parts): Answer<Body> {
  const failureText = `${operationId} answered ${parts.status}: ${parts.text}`;
  expect(parts.headers.get('content-type'), failureText).toBe(errorType(route));
  return {
    ...parts,
    problem: route.errorForm === 'oauth' ? readOAuthError(parts) : readListed(route, parts, failureText),
    get body(): Body {
      throw new Error(failureText);
    },
  };
}

/** Problem details whose code is in the row of the route. */
function readListed(route: Route, parts: Parts, failureText: string): Problem {
  const isPage = route.response.contentType === 'text/html';
  const parsed = problem.safeParse(isPage ? readErrorPage(parts) : readProblem(route, parts.text));
  expect(parsed.error?.issues, failureText).toBeUndefined();
  const given = problem.parse(parsed.data);
  expect(
    route.errors.map(String),
    `${failureText}; its row in the route table does not list the code`,
  ).toContain(given.code);
  expect(given.status, failureText).toBe(parts.status);
  expect(Object.entries(errorTable).find(([code]) => code === given.code)?.[1].status, failureText).toBe(
    parts.status,
  );
  expect(given.instance, failureText).toBe(parts.headers.get('x-request-id'));
  return given;
}
