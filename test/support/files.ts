// Files of a caller's workspace, uploaded as clients do it.
import { createHash } from 'node:crypto';
import type { NewFile } from '#lib/file/file.ts';
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';

export interface Upload {
  readonly name?: string;
  readonly media_type?: string;
  readonly content: Uint8Array;
}

export const newFileBody = ({ name = 'note.txt', media_type = 'text/plain', content }: Upload) => ({
  name,
  media_type,
  bytes: content.byteLength,
  sha256: createHash('sha256').update(content).digest('hex'),
});

export const createFile = async ({ key, workspaceid }: Omit<TestCaller, 'id' | 'orgid'>, upload: Upload) =>
  (await call('createFile', { key, query: { workspaceid }, body: newFileBody(upload) })).body;

/** The content length is computed, since `fetch` does not take it. */
export function putContent({ upload }: NewFile, content: Uint8Array, headers = upload.headers) {
  const { 'content-length': _, ...sent } = headers;
  return fetch(upload.url, { method: upload.method, headers: sent, body: new Uint8Array(content) });
}

/** Returns the id. */
export async function uploadFile(caller: Omit<TestCaller, 'id' | 'orgid'>, upload: Upload): Promise<string> {
  const file = await createFile(caller, upload);
  const response = await putContent(file, upload.content);
  if (!response.ok) throw new Error(await response.text());
  return file.fileid;
}
