// The contents of files, in the S3 bucket of the tenant. Every request is signed in its URL, so that callers can
// send some of them themselves.
import { setTimeout } from 'node:timers/promises';
import { encodeStrictly } from '#lib/aws-signer.ts';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { fullJitterMs } from '#lib/retry.ts';
import type { FileItem } from './file-items.ts';
import { type PresignedRequest, presign } from './presign.ts';

/** How long callers may use a URL that was signed for them. */
export const urlSeconds = 900;

type ObjectKey = Pick<FileItem, 'orgid' | 'workspaceid' | 'fileid'>;
type StoredObject = ObjectKey & Pick<FileItem, 'name' | 'media_type'>;
type NewObject = StoredObject & Pick<FileItem, 'bytes' | 'sha256'>;

/** S3 refuses a request whose size, media type or content is another: the signature covers these headers. */
export const uploadHeaders = ({ bytes, media_type, sha256 }: Omit<NewObject, 'name'>) => ({
  'content-length': String(bytes),
  'content-type': media_type,
  'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
});

export const presignUpload = (file: NewObject, now: number): string =>
  sign({
    method: 'PUT',
    url: objectUrl(file),
    headers: uploadHeaders(file),
    expiresSeconds: urlSeconds,
    now,
  });

/** As an attachment, under its name, so that no browser shows it as a page. */
export const presignDownload = (file: StoredObject, now: number): string =>
  sign({
    method: 'GET',
    url: objectUrl(file),
    query: {
      'response-content-disposition': toDisposition(file.name),
      'response-content-type': isActive(file.media_type) ? 'application/octet-stream' : file.media_type,
      'response-cache-control': 'private, no-store',
    },
    expiresSeconds: urlSeconds,
    now,
  });

export async function isStored(file: StoredObject, signal?: AbortSignal): Promise<boolean> {
  const found = await send({ method: 'HEAD', url: objectUrl(file), signal });
  return found !== undefined;
}

/** Undefined if there is no content. */
export async function readContent(file: StoredObject, signal?: AbortSignal): Promise<Buffer | undefined> {
  return await send({ method: 'GET', url: objectUrl(file), signal });
}

/** Stores all of the content or nothing. */
export async function writeContent(file: NewObject, content: Uint8Array, signal: AbortSignal): Promise<void> {
  const headers = uploadHeaders(file);
  const stored = await send({ method: 'PUT', url: objectUrl(file), headers, content, signal });
  if (!stored) throw unavailable('There is no bucket.');
}

/** What is not there counts as deleted. */
export async function deleteContent(file: ObjectKey): Promise<void> {
  await send({ method: 'DELETE', url: objectUrl(file) });
}

interface Exchange extends Pick<PresignedRequest, 'method' | 'url' | 'headers'> {
  readonly content?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

const attemptsMax = 3;
/** A file of 25 MB takes about a second. What has no content is answered while a caller waits. */
const timeoutMs = { GET: 15_000, PUT: 15_000, HEAD: 2_000, DELETE: 2_000 };

/**
 * Returns the content of the answer. Repeats what may succeed later, also where S3 breaks off within the content.
 * Undefined for 404; throws `dependency_unavailable`.
 */
async function send(exchange: Exchange): Promise<Buffer | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendOnce(exchange).catch((cause: unknown) => {
      exchange.signal?.throwIfAborted();
      return { status: undefined, cause };
    });
    if ('content' in answer) return answer.content;
    const { status = 500, cause } = answer;
    if (status === 404) return undefined;
    const isRefused = status < 500 && status !== 429;
    if (isRefused || attempt === attemptsMax) throw unavailable(cause);
    await setTimeout(fullJitterMs(attempt - 1, { pauseMs: 100 }), undefined, { signal: exchange.signal });
  }
}

const unavailable = (cause: unknown) =>
  new ServiceError('dependency_unavailable', { detail: 'The store of files does not answer.', cause });

type S3Answer =
  | { readonly content: Buffer }
  | { readonly status: number | undefined; readonly cause: unknown };

/** `fetch` computes the content length, and does not take it. */
async function sendOnce({ method, url, headers = {}, content, signal }: Exchange): Promise<S3Answer> {
  const signed = sign({ method, url, headers, expiresSeconds: 60, now: Date.now() });
  const { 'content-length': _computed, ...sent } = headers;
  const timeout = AbortSignal.timeout(timeoutMs[method]);
  const response = await fetch(signed, {
    method,
    headers: sent,
    body: content
      ? (Buffer.from(content.buffer, content.byteOffset, content.byteLength) as Buffer<ArrayBuffer>)
      : null,
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  if (response.ok) return { content: Buffer.from(await response.arrayBuffer()) };
  await response.body?.cancel();
  return { status: response.status, cause: `S3 answered ${response.status}.` };
}

/** With the credentials of the function's role, which Lambda gives in the environment. */
function sign(request: PresignedRequest): string {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env;
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
  };
  return presign(request, credentials, region());
}

const region = (): string => process.env.AWS_REGION ?? 'us-east-1';

/** Path-style where the environment names an endpoint, as the local host does. */
function objectUrl({ orgid, workspaceid, fileid }: ObjectKey): URL {
  const bucket = requireEnv('FILES_BUCKET');
  const path = [orgid, workspaceid, fileid].map(encodeStrictly).join('/');
  const endpoint = process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  if (endpoint) return new URL(`${endpoint}/${bucket}/${path}`);
  return new URL(`https://${bucket}.s3.${region()}.amazonaws.com/${path}`);
}

/** RFC 6266: the name in ASCII, and exactly for those who know the second parameter. */
function toDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeStrictly(name.toWellFormed())}`;
}

/** What browsers run scripts of. */
const isActive = (mediaType: string): boolean => /html|xml|svg|script|pdf|flash/.test(mediaType);
