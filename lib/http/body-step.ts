// Checks of a request body: its size, which the tenant limits, its content type, and its syntax, with the
// reason why it does not parse, which middy's parser does not give.

import { ServiceError } from '#lib/errors.ts';
import { type Read, readJsonText, readRoundedJsonText } from '#lib/json/parse.ts';
import { type BodyKind, tenantLimits } from '#lib/limits/tenant-limits.ts';
import type { Route } from './route.ts';

/** Counts the body as it was sent; base64 is longer than the bytes that it encodes. */
export function requireBodySize(kind: BodyKind, body: string): void {
  const bytesMax = tenantLimits().body_bytes[kind];
  if (Buffer.byteLength(body) <= bytesMax) return;
  throw new ServiceError('payload_too_large', { detail: `The body may have ${bytesMax} bytes at most.` });
}

/** `application/json`, and types with the suffix `+json`, such as `application/a2a+json`. */
const jsonType = /^application\/([a-z0-9.+-]+\+)?json *(;|$)/i;

/** RFC 9512. */
const yamlType = /^application\/yaml *(;|$)/i;

/** Whether the body is YAML, of a route that takes it. */
export const isYaml = ({ takesYaml }: Pick<Route, 'takesYaml'>, contentType: string | undefined): boolean =>
  takesYaml === true && yamlType.test(contentType ?? '');

export function requireJsonType(contentType: string | undefined): void {
  if (jsonType.test(contentType ?? '')) return;
  throw new ServiceError('unsupported_media_type', {
    detail: 'Send the body with Content-Type: application/json.',
  });
}

/** Of the one route that takes a form of a web page. */
export function requireFormType(contentType: string | undefined): void {
  if (/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType ?? '')) return;
  throw new ServiceError('unsupported_media_type', {
    detail: 'Send the form with Content-Type: application/x-www-form-urlencoded.',
  });
}

/** Undefined for a request without a body. Integers that a number would round are text. */
export const parseBody = (text: string): unknown => parseWith(readJsonText, text);

/** Numbers stay numbers, since fields of flows take them. */
export const parseBuild = (text: string): unknown => parseWith(readRoundedJsonText, text);

function parseWith(readText: (text: string) => Read, text: string): unknown {
  if (text === '') return undefined;
  const read = readText(text);
  if (read.isJson) return read.value;
  throw new ServiceError('malformed_json', { detail: `The body is not JSON: ${read.reason}.` });
}
