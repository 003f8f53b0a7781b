// Verifies Signature Version 4 as AWS does, from what a server receives. Written from the documentation of AWS and
// not with the library that signs.
import { createHash, createHmac } from 'node:crypto';

export interface ReceivedRequest {
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface VerifiedSignature {
  readonly accessKeyId: string;
  readonly service: string;
  readonly region: string;
  readonly signedHeaders: readonly string[];
}

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Undefined for a request that is not signed, or by somebody else. */
export function verifyAwsSignature(
  request: ReceivedRequest,
  findSecret: (accessKeyId: string) => string | undefined,
): VerifiedSignature | undefined {
  const [, accessKeyId = '', day = '', region = '', service = '', names = '', signature = ''] =
    form.exec(String(request.headers.authorization)) ?? [];
  const secret = findSecret(accessKeyId);
  if (secret === undefined) return undefined;
  const signedHeaders = names.split(';');
  const canonical = [
    request.method,
    canonicalPath(request.target, service),
    canonicalQuery(request.target),
    ...signedHeaders.map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', String(request.headers['x-amz-date']), scope, sha256(canonical)].join(
    '\n',
  );
  const key = [day, region, service, 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`);
  if (hmac(key, text).toString('hex') !== signature) return undefined;
  return { accessKeyId, service, region, signedHeaders };
}

const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalPath(target: string, service: string): string {
  const path = target.split('?')[0] ?? '/';
  return service === 's3' ? path : path.split('/').map(encode).join('/');
}

/** A plus sign is itself. */
function canonicalQuery(target: string): string {
  const query = target.split('?')[1] ?? '';
  if (query === '') return '';
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=').map(decodeURIComponent).map(encode);
    return [name, value] as const;
  });
  const sorted = pairs.toSorted(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)));
  return sorted.map((pair) => pair.join('=')).join('&');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
