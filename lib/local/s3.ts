// The local S3: PUT, GET, HEAD and DELETE of objects on loopback, path-style, by signed URLs only. It checks what S3 checks of
// them: signature, time, signed headers and checksum.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { escapeMarkup } from '#lib/escape-markup.ts';
import { closeServer, listen } from './listen.ts';
import { S3Error } from './s3-error.ts';
import { type Objects, openObjects, type StoredObject } from './s3-objects.ts';
import { requireSignature } from './s3-signature.ts';

export interface S3 extends Pick<Objects, 'createBucket'> {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

interface S3Options {
  readonly dataDir: string | undefined;
  /** The secret access key of the functions. */
  readonly secret: string;
  readonly now?: () => number;
}

export async function startS3({ dataDir, secret, now = Date.now }: S3Options): Promise<S3> {
  const objects = openObjects(dataDir);
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => refuse(request, response, error));
  });
  return {
    endpoint: await listen(server, 0),
    createBucket: objects.createBucket,
    close: () => closeServer(server),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://s3.local');
    const [bucket = '', ...key] = url.pathname.slice(1).split('/');
    requireSignature(request, secret, now());
    const name = key.join('/');
    if (request.method === 'PUT') {
      const content = Buffer.concat(await request.toArray());
      const checksum = requireChecksum(request, content);
      const contentType = request.headers['content-type'] ?? 'binary/octet-stream';
      objects.put(bucket, name, { content, contentType, checksum, writtenAt: now() });
      response.writeHead(200, { ...identity(), etag: etag(content) }).end();
      return;
    }
    if (request.method === 'DELETE') {
      objects.delete(bucket, name);
      response.writeHead(204, identity()).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new S3Error(405, 'MethodNotAllowed', 'The local S3 has PUT, GET, HEAD and DELETE of objects.');
    const object = objects.get(bucket, name, now());
    if (!object) throw new S3Error(404, 'NoSuchKey', 'The specified key does not exist.');
    response.writeHead(200, headersOf(object, url.searchParams));
    response.end(request.method === 'HEAD' ? undefined : object.content);
  }
}

/** The parameters by which a signed URL replaces headers of the response. */
const replaceable = {
  'response-content-type': 'content-type',
  'response-content-disposition': 'content-disposition',
  'response-cache-control': 'cache-control',
} as const;

function headersOf({ content, contentType, writtenAt }: StoredObject, parameters: URLSearchParams) {
  const replaced = Object.entries(replaceable).flatMap(([parameter, header]) => {
    const value = parameters.get(parameter);
    return value === null ? [] : [[header, value] as const];
  });
  return {
    ...identity(),
    'content-type': contentType,
    'content-length': content.length,
    'last-modified': new Date(writtenAt).toUTCString(),
    etag: etag(content),
    ...Object.fromEntries(replaced),
  };
}

function requireChecksum({ headers }: IncomingMessage, content: Buffer): string | undefined {
  const given = headers['x-amz-checksum-sha256'];
  if (given === undefined) return undefined;
  const computed = createHash('sha256').update(content).digest('base64');
  if (given === computed) return computed;
  throw new S3Error(400, 'BadDigest', 'The SHA256 you specified did not match the calculated checksum.');
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { status, code, message } =
    error instanceof S3Error ? error : new S3Error(500, 'InternalError', String(error));
  request.resume();
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeMarkup(message)}</Message></Error>`;
  response.writeHead(status, { ...identity(), 'content-type': 'application/xml' });
  response.end(request.method === 'HEAD' ? undefined : text);
}

const identity = () => ({ 'x-amz-request-id': randomUUID() });

const etag = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`;
