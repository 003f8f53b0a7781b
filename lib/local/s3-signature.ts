// Checks the signature in the query parameters of a request to the local S3, as S3 does: by computing it again from the
// request that arrived.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';

/** Throws `AccessDenied` or `SignatureDoesNotMatch`. */
export function requireSignature(request: IncomingMessage, secret: string, now: number): void {
  const [path = '/', query = ''] = (request.url ?? '/').split('?');
  const parameters = query.split('&').filter((pair) => !pair.startsWith('X-Amz-Signature='));
  const values = new URLSearchParams(query);
  const read = (name: string) => values.get(`X-Amz-${name}`) ?? '';
  requireTime(read('Date'), Number(read('Expires')), now);
  const [, ...scope] = read('Credential').split('/');
  const names = read('SignedHeaders').split(';');
  requireHeaders(request, names);
  const canonical = [
    request.method ?? '',
    path,
    parameters.sort().join('&'),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', read('Date'), scope.join('/'), digest].join('\n');
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of scope) key = hmac(key, part);
  const [expected, given] = [hmac(key, text), Buffer.from(read('Signature'), 'hex')];
  if (expected.length === given.length && timingSafeEqual(expected, given)) return;
  throw new S3Error(403, 'SignatureDoesNotMatch', 'The request signature does not match the request.');
}

/** S3 allows a week at most, and clocks that differ by 15 minutes. */
function requireTime(date: string, expiresSeconds: number, now: number): void {
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(expiresSeconds >= 1 && expiresSeconds <= 604_800) || Number.isNaN(at))
    throw new S3Error(403, 'AccessDenied', 'The request is not signed in its query parameters.');
  if (now > at + expiresSeconds * 1000) throw new S3Error(403, 'AccessDenied', 'Request has expired');
  if (at > now + 15 * 60_000) throw new S3Error(403, 'AccessDenied', 'Request is not valid yet');
}

/** The host, and every `x-amz-` header, must be signed. */
function requireHeaders(request: IncomingMessage, names: readonly string[]): void {
  const unsigned = Object.keys(request.headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !names.includes(name),
  );
  if (unsigned.length > 0)
    throw new S3Error(403, 'AccessDenied', `There were headers present which were not signed: ${unsigned}`);
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
