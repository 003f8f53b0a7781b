// An HTTP request as a flow declares it: its fields and their checks. `prepare-request.ts` evaluates its templates.
// Shared by `http` nodes and tools of agents.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { egressProblem } from '../format/egress.ts';
import { limits } from '../format/limits.ts';
import { json } from '../format/node-fields.ts';
import { apart, named, needs } from '../format/notes.ts';
import { connectionProblem } from './connection-use.ts';
import { oneExpression } from './expression-field.ts';
import type { CheckSurroundings, Report } from './node-type.ts';
import { pathProblem, requestUrl, requestUrlProblem } from './url-field.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

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
      'URL: scheme and host are literal and in `egress`, values are encoded; or one expression that gives a URL with a host of `egress`.',
    examples: ['https://api.example.com/orders/{{ input.user_variables.order_id }}'],
  }),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .meta({
      description: 'Appended to the path of `url`; values keep their slashes, everything else is encoded.',
      examples: ['{{ state.file }}'],
    }),
  query: z
    .record(z.string().min(1), json())
    .optional()
    .meta({ description: 'Query parameters; a missing value omits the parameter, a list repeats it.' }),
  headers: headers()
    .optional()
    .meta({ description: 'Headers as templates; a header whose value is empty is not sent.' }),
  ...bodyFields(),
  connection: z
    .string()
    .optional()
    .meta({ description: 'Name of the connection whose credential the request carries.' }),
  response: z.enum(['json', 'text', 'base64']).optional().meta({
    description: 'How the response is parsed; as `base64` the body is `{base64, media_type, size}`.',
    default: 'json',
  }),
  save: save().optional().meta({
    description:
      'The body of a 2xx response becomes a stored file: `true`, or its name and type; the output then has `file` instead of `body`.',
  }),
  select: oneExpression('expected one expression, such as "{{ body.items.id }}"')
    .optional()
    .meta({
      description: 'One expression that reads the response as `body`; its value is the body of the output.',
      examples: ['{{ body.items.{ "id": id } }}'],
    }),
  response_headers: z.array(headerName()).max(limits.responseHeadersMax).optional().meta({
    description:
      'Names of the headers of the response in the output; defaults to all but `set-cookie`, which is there only if it is named.',
  }),
  max_concurrency: z.int().min(1).max(limits.concurrencyMax).optional().meta({
    description: 'How many requests of the run to this host may be open when this one is sent; others wait.',
  }),
  accept: accept()
    .optional()
    .meta({
      description: 'Statuses that are no error: numbers, or classes such as `2xx`.',
      examples: [[200, 404]],
    }),
}));

const bodyFields = () => ({
  body: json().optional().meta({
    description:
      'Body: text is sent as it is, an object as a form if `content-type` is that of a form, anything else as JSON; only with methods that write.',
  }),
  body_base64: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Body as base64, which is sent as bytes; template. Instead of `body`.' }),
  body_file: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        'Body from a stored file or a part of the message: a reference, or its id; template. Instead of `body`.',
      examples: ['{{ input.files[0] }}'],
    }),
});

const accept = /* @__PURE__ */ lazy(() =>
  z
    .array(z.union([z.int().min(200).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])]))
    .min(1)
    .max(50),
);

const savedFile = /* @__PURE__ */ lazy(() =>
  named(
    'saved_file',
    z
      .strictObject({
        name: z.string().min(1).max(1000).optional().meta({
          description: 'Name of the file; template. By default that which the response gives it.',
        }),
        media_type: z.string().min(1).max(1000).optional().meta({
          description: 'Media type of the file; template. By default that of the response.',
        }),
      })
      .meta({ title: 'Saved file', description: 'Name and type of the file that is stored.' }),
  ),
);

const save = /* @__PURE__ */ lazy(() => z.union([z.literal(true), savedFile()]));

export type RequestFields = z.infer<z.ZodObject<ReturnType<typeof requestFields>>>;

export const requestRules = () => [
  ...(['body', 'body_base64', 'body_file'] as const).flatMap((body) => [
    needs(
      body,
      'method',
      [body],
      `expected no \`${body}\`, because the method is GET: name another, such as "method": "POST"`,
    ),
    apart(
      [body, 'method'],
      { method: ['GET', 'HEAD'] },
      `expected no \`${body}\`, because GET and HEAD have none: name another method, such as "POST"`,
    ),
  ]),
  apart(['body_base64', 'body'], undefined, 'expected either `body` or `body_base64`'),
  apart(['body_file', 'body'], undefined, 'expected either `body` or `body_file`'),
  apart(['body_file', 'body_base64'], undefined, 'expected either `body_base64` or `body_file`'),
  apart(['save', 'select'], undefined, 'expected either `select` or `save`'),
  apart(
    ['save', 'response'],
    undefined,
    'expected no `response` together with `save`, which stores the bytes',
  ),
  apart(['save', 'method'], { method: ['HEAD'] }, 'expected another method: HEAD has no body to save'),
];

/** Fields in which `{{ }}` is evaluated. */
export const requestTemplates = [
  'url',
  'path',
  'query',
  'headers',
  'body',
  'body_base64',
  'body_file',
  'save',
] as const;

/** A template that reads `body`. */
export const selectTemplate = 'select';

export function checkRequest(fields: RequestFields, around: CheckSurroundings, report: Report): void {
  checkParts(fields, requestUrlProblem(fields.url, around.egress), around, report);
}

/** The host is literal: a model fills in the path and the query of a tool. */
export function checkToolRequest(fields: RequestFields, around: CheckSurroundings, report: Report): void {
  checkParts(fields, egressProblem(fields.url, around.egress), around, report);
}

function checkParts(
  fields: RequestFields,
  problem: string | undefined,
  around: CheckSurroundings,
  report: Report,
): void {
  if (problem) report(['url'], problem);
  const misplaced = fields.path && pathProblem(fields.path);
  if (misplaced) report(['path'], misplaced);
  const misuse = connectionProblem(fields.connection, fields.url, around);
  if (misuse) report(['connection'], misuse);
  for (const name of Object.keys(fields.headers ?? {})) {
    if (reserved.has(name.toLowerCase()))
      report(
        ['headers', name],
        'this header belongs to the HTTP connection, and a flow cannot set it: remove it',
      );
  }
}
