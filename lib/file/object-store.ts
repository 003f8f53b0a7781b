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

type StoredObject = Pick<FileItem, 'orgid' | 'workspaceid' | 'fileid' | 'name' | 'media_type'>;
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
  const response = await send({ method: 'HEAD', url: objectUrl(file), signal });
  return response !== undefined;
}

/** Undefined if there is no content. */
export async function readContent(file: StoredObject, signal?: AbortSignal): Promise<Buffer | undefined> {
  const response = await send({ method: 'GET', url: objectUrl(file), signal });
  return response && Buffer.from(await response.arrayBuffer());
}

/** Stores all of the content or nothing. */
export async function writeContent(file: NewObject, content: Uint8Array, signal: AbortSignal): Promise<void> {
  const headers = uploadHeaders(file);
  const stored = await send({ method: 'PUT', url: objectUrl(file), headers, content, signal });
  if (!stored) throw unavailable('There is no bucket.');
}

interface Exchange extends Pick<PresignedRequest, 'method' | 'url' | 'headers'> {
  readonly content?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

const attemptsMax = 3;
/** A file of 25 MB takes about a second. */
const timeoutMs = 15_000;

/** Repeats what may succeed later. Undefined for 404; throws `dependency_unavailable`. */
async function send(exchange: Exchange): Promise<Response | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await sendOnce(exchange).catch((cause: unknown) => {
      exchange.signal?.throwIfAborted();
      return cause;
    });
    if (response instanceof Response) {
      if (response.ok) return response;
      await response.body?.cancel();
      if (response.status === 404) return undefined;
    }
    const isRefused = response instanceof Response && response.status < 500 && response.status !== 429;
    if (isRefused || attempt === attemptsMax) throw unavailable(response);
    await setTimeout(fullJitterMs(attempt - 1, { pauseMs: 100 }), undefined, { signal: exchange.signal });
  }
}

const unavailable = (reason: unknown) =>
  new ServiceError('dependency_unavailable', {
    detail: 'The store of files does not answer.',
    cause: reason instanceof Response ? `S3 answered ${reason.status}.` : reason,
  });

/** `fetch` computes the content length, and does not take it. */
async function sendOnce({ method, url, headers = {}, content, signal }: Exchange): Promise<Response> {
  const signed = sign({ method, url, headers, expiresSeconds: 60, now: Date.now() });
  const { 'content-length': _computed, ...sent } = headers;
  const timeout = AbortSignal.timeout(timeoutMs);
  return await fetch(signed, {
    method,
    headers: sent,
    body: content ? Buffer.from(content.buffer, content.byteOffset, content.byteLength) : null,
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
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
function objectUrl({ orgid, workspaceid, fileid }: Omit<StoredObject, 'name' | 'media_type'>): URL {
  const bucket = requireEnv('FILES_BUCKET');
  const path = [orgid, workspaceid, fileid].map(encodeStrictly).join('/');
  const endpoint = process.env.AWS_ENDPOINT_URL_S3;
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
