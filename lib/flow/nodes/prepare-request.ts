// How the templates of a request are evaluated. Loaded with the first flow that sends one.
import type { Json } from '#lib/json/json.ts';
import { checkRequestSize } from '../engine/request-size.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { type Render, template, typedTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { definedOnly, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import type { HttpRequest, SaveRequest } from '../ports/http.ts';
import { decodeBody, type EncodedBody, encodeBody, fileBody } from './http-body.ts';
import type { RequestFields } from './http-request.ts';
import { addQuery, prepareUrl } from './http-url.ts';
import type { Surroundings } from './node-type.ts';

const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The idempotency key lets the receiver of a write recognise a repetition. */
export function prepareRequest(
  fields: RequestFields,
  { egress }: Surroundings,
): (at: RenderAt, idempotencyKey: string) => Promise<HttpRequest> {
  const url = prepareUrl(fields);
  const query = template(fields.query ?? {});
  const headers = template(fields.headers ?? {});
  const body = prepareBody(fields);
  const save = prepareSave(fields.save);
  const { method = 'GET' } = fields;
  const isWrite = writes.has(method);
  return async (at, idempotencyKey) => {
    const target = addQuery(await url(at), await query(at));
    const sent = await renderHeaders(headers, at);
    const encoded = await body?.(at, sent.get('content-type'));
    if (encoded?.contentType !== undefined) sent.set('content-type', encoded.contentType);
    if (isWrite && !sent.has('idempotency-key')) sent.set('idempotency-key', idempotencyKey);
    return {
      method,
      url: target,
      headers: Object.fromEntries(sent),
      response: fields.response ?? 'json',
      egress,
      ...(fields.connection !== undefined && { connection: fields.connection }),
      ...(encoded && { body: encoded.content }),
      ...(save && { save: await save(at, idempotencyKey) }),
      ...(fields.select !== undefined && { responseBytesMax: limits.selectedBytes }),
      ...(keepsCookies(fields) && { keepsCookies: true }),
      ...(fields.max_concurrency !== undefined && { maxConcurrency: fields.max_concurrency }),
    };
  };
}

const keepsCookies = ({ response_headers = [] }: RequestFields) =>
  response_headers.some((name) => name.toLowerCase() === 'set-cookie');

type RenderBody = (at: RenderAt, declared: string | undefined) => Promise<EncodedBody>;

function prepareBody({ body, body_base64, body_file }: RequestFields): RenderBody | undefined {
  if (body_file !== undefined) {
    const render = typedTemplate(body_file);
    const field = 'body_file';
    return async (at, declared) =>
      fileBody(field, checkRequestSize(field, await render(at)), declared, at.scope);
  }
  if (body_base64 !== undefined) {
    const render = typedTemplate(body_base64);
    const field = 'body_base64';
    return async (at, declared) => decodeBody(field, checkRequestSize(field, await render(at)), declared);
  }
  if (body === undefined) return undefined;
  const render = template(body);
  return async (at, declared) =>
    await encodeBody(checkRequestSize('body', await render(at)), declared, at.scope);
}

/** A label without a value is that of the response. */
function prepareSave(
  save: RequestFields['save'],
): ((at: RenderAt, key: string) => Promise<SaveRequest>) | undefined {
  if (save === undefined) return undefined;
  const labels = template(save === true ? {} : definedOnly(save));
  return async (at, key) => {
    const rendered = await labels(at);
    const { name = null, media_type = null } = isObject(rendered) ? rendered : {};
    return {
      key,
      ...(!isEmpty(name) && { name: asText(name) }),
      ...(!isEmpty(media_type) && { media_type: asText(media_type) }),
    };
  };
}

const isEmpty = (value: Json): boolean => value === null || value === '';

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
