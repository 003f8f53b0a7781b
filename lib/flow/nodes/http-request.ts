// An HTTP request as a flow declares it: its fields, their checks, and how its templates are evaluated.
// Shared by `http` nodes and tools of agents.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { isWrittenAsUrl } from '#lib/web-url.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { type Render, template, urlTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { egressProblem } from '../format/egress.ts';
import { isList } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { json } from '../format/node-fields.ts';
import { apart, needs } from '../format/notes.ts';
import type { HttpRequest } from '../ports/http.ts';
import { connectionProblem } from './connection-use.ts';
import { decodeBody, type EncodedBody, encodeBody } from './http-body.ts';
import type { CheckSurroundings, Report, Surroundings } from './node-type.ts';
import { requestUrl } from './url-field.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const headerName = () => z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'expected a header name');

/** Headers that the HTTP connection sets, and a flow may not. */
export const reserved: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'expect',
]);

export const headers = /* @__PURE__ */ lazy(() => z.record(headerName(), z.string()));

export const requestFields = /* @__PURE__ */ lazy(() => ({
  method: z.enum(methods).optional().meta({ description: 'Method of the request.', default: 'GET' }),
  url: requestUrl().meta({
    description:
      'URL; scheme and host are literal and in `egress`, expressions in path and query are encoded.',
    examples: ['https://api.example.com/orders/{{ input.user_variables.order_id }}'],
  }),
  query: z
    .record(z.string().min(1), json())
    .optional()
    .meta({ description: 'Query parameters; a missing value omits the parameter, a list repeats it.' }),
  headers: headers()
    .optional()
    .meta({ description: 'Headers as templates; a header whose value is empty is not sent.' }),
  body: json().optional().meta({
    description:
      'Body: text is sent as it is, an object as a form if `content-type` is that of a form, anything else as JSON; only with methods that write.',
  }),
  body_base64: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Body as base64, which is sent as bytes; template. Instead of `body`.' }),
  connection: z
    .string()
    .optional()
    .meta({ description: 'Name of the connection whose credential the request carries.' }),
  response: z.enum(['json', 'text', 'base64']).optional().meta({
    description: 'How the response is parsed; as `base64` the body is `{base64, media_type, size}`.',
    default: 'json',
  }),
  accept: accept()
    .optional()
    .meta({
      description: 'Statuses that are no error: numbers, or classes such as `2xx`.',
      examples: [[200, 404]],
    }),
}));

const accept = /* @__PURE__ */ lazy(() =>
  z
    .array(z.union([z.int().min(200).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])]))
    .min(1)
    .max(50),
);

type Accept = RequestFields['accept'];

export const isAccepted = (status: number, accept: Accept = ['2xx']): boolean =>
  accept.some((one) => one === status || one === `${Math.trunc(status / 100)}xx`);

export type RequestFields = z.infer<z.ZodObject<ReturnType<typeof requestFields>>>;

export const requestRules = () => [
  ...(['body', 'body_base64'] as const).flatMap((body) => [
    needs(body, 'method', [body], 'expected no body with GET, which is the method where none is named'),
    apart([body, 'method'], { method: ['GET', 'HEAD'] }, 'expected no body with GET and HEAD'),
  ]),
  apart(['body_base64', 'body'], undefined, 'expected either `body` or `body_base64`'),
];

/** Fields in which `{{ }}` is evaluated. */
export const requestTemplates = ['url', 'query', 'headers', 'body', 'body_base64'] as const;

export function checkRequest(fields: RequestFields, around: CheckSurroundings, report: Report): void {
  const problem = egressProblem(fields.url, around.egress);
  if (problem) report(['url'], problem);
  const misuse = connectionProblem(fields.connection, fields.url, around);
  if (misuse) report(['connection'], misuse);
  for (const name of Object.keys(fields.headers ?? {})) {
    if (reserved.has(name.toLowerCase()))
      report(['headers', name], 'this header is set by the connection: expected another');
  }
}

/** The idempotency key lets the receiver of a write recognise a repetition. */
export function prepareRequest(
  fields: RequestFields,
  { egress }: Surroundings,
): (at: RenderAt, idempotencyKey: string) => Promise<HttpRequest> {
  const url = urlTemplate(fields.url);
  const query = template(fields.query ?? {});
  const headers = template(fields.headers ?? {});
  const body = prepareBody(fields);
  const { method = 'GET' } = fields;
  const isWrite = writes.has(method);
  return async (at, idempotencyKey) => {
    const target = addQuery(parseUrl(asText(await url(at))), await query(at));
    const sent = await renderHeaders(headers, at);
    const encoded = await body?.(at, sent.get('content-type'));
    if (encoded) sent.set('content-type', encoded.contentType);
    if (isWrite && !sent.has('idempotency-key')) sent.set('idempotency-key', idempotencyKey);
    return {
      method,
      url: target,
      headers: Object.fromEntries(sent),
      response: fields.response ?? 'json',
      egress,
      ...(fields.connection !== undefined && { connection: fields.connection }),
      ...(encoded && { body: encoded.bytes }),
    };
  };
}

type RenderBody = (at: RenderAt, declared: string | undefined) => Promise<EncodedBody>;

function prepareBody({ body, body_base64 }: RequestFields): RenderBody | undefined {
  if (body_base64 !== undefined) {
    const render = template(body_base64);
    const field = 'body_base64';
    return async (at, declared) => decodeBody(field, checkRequestSize(field, await render(at)), declared);
  }
  if (body === undefined) return undefined;
  const render = template(body);
  return async (at, declared) => await encodeBody(checkRequestSize('body', await render(at)), declared);
}

/**
 * `.` and `..` are resolved before a request is sent; they are refused, so that a value cannot leave the path
 * that the flow's author wrote.
 */
function parseUrl(text: string): URL {
  const url = isWrittenAsUrl(text) ? URL.parse(text) : null;
  const path = text.split('?', 1)[0] ?? '';
  if (url && !path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) return url;
  throw new NodeError(
    'http.bad_url',
    'url: expected a valid URL without "." and ".." segments once its values are filled in.',
  );
}

/** A missing value omits the parameter; a list repeats it. */
function addQuery(url: URL, query: Json): string {
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of isList(value) ? value : [value]) {
      if (one !== null) url.searchParams.append(name, asText(one));
    }
  }
  return url.href;
}

async function renderHeaders(headers: Render, at: RenderAt): Promise<Map<string, string>> {
  const sent = new Map<string, string>();
  for (const [name, value] of Object.entries((await headers(at)) ?? {})) {
    const text = asText(value);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
      throw new NodeError('http.bad_header', `headers.${name}: expected one line of Latin-1 characters.`);
    }
    if (text !== '') sent.set(name.toLowerCase(), text);
  }
  return sent;
}
