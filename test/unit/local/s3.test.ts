// The local S3, by URLs that the service signs: what it stores, and what it refuses as S3 does.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PresignedRequest, presign } from '#lib/file/presign.ts';
import { type S3, startS3 } from '#lib/local/s3.ts';
import { bucketResource } from '#lib/local/s3-objects.ts';

const folder = mkdtempSync(join(tmpdir(), 's3-'));
const started = Date.UTC(2026, 0, 10, 12);
let now = started;
let s3: S3;

const open = async (): Promise<S3> => {
  const made = await startS3({ dataDir: folder, secret: 'local', now: () => now });
  const rule = { ExpirationInDays: 3, Status: 'Enabled' };
  made.createBucket('files', bucketResource.parse({ LifecycleConfiguration: { Rules: [rule] } }));
  return made;
};
beforeAll(async () => {
  s3 = await open();
});
afterAll(async () => {
  await s3.close();
  rmSync(folder, { recursive: true });
});

const content = Buffer.from('hello');
const checksum = createHash('sha256').update(content).digest('base64');
const headers = {
  'content-length': '5',
  'content-type': 'text/plain',
  'x-amz-checksum-sha256': checksum,
};

const sign = (request: Partial<PresignedRequest> & { key?: string; secret?: string }) =>
  presign(
    {
      method: 'GET',
      url: new URL(`${s3.endpoint}/${request.key ?? 'files/a/b'}`),
      expiresSeconds: 60,
      now,
      ...request,
    },
    { accessKeyId: 'local', secretAccessKey: request.secret ?? 'local' },
    'us-east-1',
  );

async function send(url: string, method = 'GET', sent: Record<string, string> = {}, body?: Buffer) {
  const response = await fetch(url, { method, headers: sent, ...(body && { body: new Uint8Array(body) }) });
  const text = await response.text();
  return { status: response.status, code: /<Code>(\w+)/.exec(text)?.[1], text, headers: response.headers };
}
const { 'content-length': _, ...given } = headers;
const put = (url: string, sent: Record<string, string> = given, body = content) =>
  send(url, 'PUT', sent, body);

test('content that was put is read again, also after a restart', async () => {
  expect((await put(sign({ method: 'PUT', headers }))).status).toBe(200);
  const query = { 'response-content-disposition': 'attachment', 'response-content-type': 'a/b' };
  for (let n = 0; n < 2; n += 1) {
    const read = await send(sign({ query }));
    expect(read).toMatchObject({ status: 200, text: 'hello' });
    expect(read.headers.get('content-type')).toBe('a/b');
    expect(read.headers.get('content-disposition')).toBe('attachment');
    await s3.close();
    s3 = await open();
  }
  expect(await send(sign({ method: 'HEAD' }), 'HEAD')).toMatchObject({ status: 200, text: '' });
});

test('what is not there, is in another bucket or has passed its lifecycle rule is not found', async () => {
  expect(await send(sign({ key: 'files/missing' }))).toMatchObject({ status: 404, code: 'NoSuchKey' });
  expect(await send(sign({ key: 'other/a' }))).toMatchObject({ status: 404, code: 'NoSuchBucket' });
  await put(sign({ method: 'PUT', headers, key: 'files/old' }));
  now = started + 3 * 86_400_000;
  expect((await send(sign({ key: 'files/old' }))).status).toBe(200);
  now = Date.UTC(2026, 0, 14);
  expect((await send(sign({ key: 'files/old' }))).status).toBe(404);
  now = started;
});

test('a URL is refused after its time, with another signature, and without any', async () => {
  const url = sign({});
  now += 61_000;
  expect(await send(url)).toMatchObject({ status: 403, code: 'AccessDenied' });
  now = started;
  expect(await send(sign({ secret: 'other' }))).toMatchObject({ code: 'SignatureDoesNotMatch' });
  expect(await send(url.replace('/a/b', '/a/c'))).toMatchObject({ code: 'SignatureDoesNotMatch' });
  expect(await send(`${url}&response-content-type=text/html`)).toMatchObject({
    code: 'SignatureDoesNotMatch',
  });
  expect(await send(url, 'PUT')).toMatchObject({ code: 'SignatureDoesNotMatch' });
  expect(await send(`${s3.endpoint}/files/a/b`)).toMatchObject({ status: 403, code: 'AccessDenied' });
  expect(await send(sign({ now: now + 16 * 60_000 }))).toMatchObject({ code: 'AccessDenied' });
  expect(await send(sign({ expiresSeconds: 604_801 }))).toMatchObject({ code: 'AccessDenied' });
});

test('an upload with another size, type or content than the signature covers is refused, and stores nothing', async () => {
  const url = sign({ method: 'PUT', headers, key: 'files/strict' });
  const refusedWith = async (sent: Record<string, string>, body = content) =>
    (await put(url, sent, body)).code;
  expect(await refusedWith(given, Buffer.from('hello!'))).toBe('SignatureDoesNotMatch');
  expect(await refusedWith(given, Buffer.from('jello'))).toBe('BadDigest');
  expect(await refusedWith({ ...given, 'content-type': 'text/html' })).toBe('SignatureDoesNotMatch');
  expect(await refusedWith({ 'content-type': 'text/plain' })).toBe('SignatureDoesNotMatch');
  expect(await refusedWith({ ...given, 'x-amz-acl': 'public-read' })).toBe('AccessDenied');
  expect((await send(sign({ key: 'files/strict' }))).status).toBe(404);
  expect((await put(url)).status).toBe(200);
});
