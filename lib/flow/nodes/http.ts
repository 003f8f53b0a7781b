// `http`: one request to a host the flow declared. An answer that is not 2xx is the error `http.<status>`, so that retry and catch see it.
import * as z from 'zod';
import type { Json } from '#lib/json.ts';
import { egressProblem } from '../egress.ts';
import { type Render, type RenderAt, template, urlTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { isList } from '../json-value.ts';
import { NodeError } from '../node-error.ts';
import type { HttpAnswer, HttpRequest } from '../ports.ts';
import type { NodeContext } from './node-context.ts';
import { defineNode, everyNode, json, onward } from './node-type.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'expected a header name');

/** They belong to the connection, not to the flow. */
const reserved = new Set([
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

const schema = z.strictObject({
  type: z.literal('http'),
  ...everyNode,
  ...onward,
  method: z.enum(methods).optional(),
  url: z.string().min(1).max(4096),
  query: z.record(z.string().min(1), json).optional(),
  headers: z.record(headerName, z.string()).optional(),
  body: json.optional(),
  connection: z.string().optional(),
  response: z.enum(['json', 'text']).optional(),
});

type HttpNode = z.infer<typeof schema>;

export const http = defineNode({
  schema,
  templates: ['url', 'query', 'headers', 'body'],
  check: (node, around, report) => {
    const problem = egressProblem(node.url, around.egress);
    if (problem) report(['url'], problem);
    if (node.connection !== undefined) report(['connection'], 'connections are not available yet');
    if (node.body !== undefined && !writes.has(methodOf(node))) {
      report(['body'], `expected no body with ${methodOf(node)}`);
    }
    for (const name of Object.keys(node.headers ?? {})) {
      if (reserved.has(name.toLowerCase()))
        report(['headers', name], 'this header is set by the connection: expected another');
    }
  },
  prepare: (node, around) => {
    const request = preparedRequest(node);
    return async (context) => {
      const asked = { ...(await request(context)), egress: around.egress };
      return stepOf(asked, await context.http(asked));
    };
  },
});

const methodOf = ({ method = 'GET' }: HttpNode) => method;

function preparedRequest(node: HttpNode): (context: NodeContext) => Promise<Omit<HttpRequest, 'egress'>> {
  const url = urlTemplate(node.url);
  const query = template(node.query ?? {});
  const headers = template(node.headers ?? {});
  const body = node.body === undefined ? undefined : template(node.body);
  const isWrite = writes.has(methodOf(node));
  return async ({ at, idempotencyKey }) => {
    const target = withQuery(checkedUrl(asText(await url(at))), await query(at));
    const sent = await renderedHeaders(headers, at);
    const payload = body && (await body(at));
    if (payload !== undefined && !sent.has('content-type')) sent.set('content-type', contentType(payload));
    if (isWrite && !sent.has('idempotency-key')) sent.set('idempotency-key', idempotencyKey);
    return {
      method: methodOf(node),
      url: target,
      headers: Object.fromEntries(sent),
      response: node.response ?? 'json',
      ...(payload !== undefined && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
    };
  };
}

/** `.` and `..` are resolved before a request is sent: a value must not climb out of the path that the flow's author wrote. */
function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  const path = text.split('?', 1)[0] ?? '';
  if (url && !path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) return url;
  throw new NodeError(
    'http.bad_url',
    'url: expected a valid URL without "." and ".." segments once its values are filled in.',
  );
}

/** A missing value leaves the parameter out; a list repeats it. */
function withQuery(url: URL, query: Json): string {
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of isList(value) ? value : [value]) {
      if (one !== null) url.searchParams.append(name, asText(one));
    }
  }
  return url.href;
}

async function renderedHeaders(headers: Render, at: RenderAt): Promise<Map<string, string>> {
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

const contentType = (body: Json) =>
  typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';

function stepOf({ method, url }: HttpRequest, { status, headers, body }: HttpAnswer) {
  const host = URL.parse(url)?.host ?? '';
  const note = `${method} ${host} answered ${status}`;
  if (status >= 200 && status < 300) return { output: { status, headers, body }, note };
  throw new NodeError(`http.${status}`, `${note}.`);
}
