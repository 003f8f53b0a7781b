// The body of a request: of a size that the tenant allows, JSON by its type, and what is wrong with one that does not parse. Middy's parser says
// the same of every body that it does not take.

import { ServiceError } from '#lib/errors.ts';
import { readJsonText } from '#lib/json/parse.ts';
import { type BodyKind, tenantLimits } from '#lib/limits/tenant-limits.ts';

/** As it was sent: base64 is longer than what it holds. */
export function requireBodySize(kind: BodyKind, body: string): void {
  const bytesMax = tenantLimits().body_bytes[kind];
  if (Buffer.byteLength(body) <= bytesMax) return;
  throw new ServiceError('payload_too_large', { detail: `The body may have ${bytesMax} bytes at most.` });
}

/** `application/json`, and what is JSON by its suffix, such as `application/a2a+json`. */
const jsonType = /^application\/([a-z0-9.+-]+\+)?json *(;|$)/i;

export function requireJsonType(contentType: string | undefined): void {
  if (jsonType.test(contentType ?? '')) return;
  throw new ServiceError('unsupported_media_type', {
    detail: 'Send the body with Content-Type: application/json.',
  });
}

/** Undefined where there is none. */
export function parseBody(text: string): unknown {
  if (text === '') return undefined;
  const read = readJsonText(text);
  if (read.isJson) return read.value;
  throw new ServiceError('malformed_json', { detail: `The body is not JSON: ${read.reason}.` });
}
