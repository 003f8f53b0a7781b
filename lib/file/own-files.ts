// The files of a caller's workspaces: where to upload one, and what was uploaded.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { newFileId } from '#lib/ids.ts';
import type { NewFile, NewFileBody, StoredFile } from './file.ts';
import { deleteFileItem, type FileItem, fileExpiry, findFile, putFile, readFile } from './file-items.ts';
import {
  deleteContent,
  isStored,
  presignDownload,
  presignUpload,
  uploadHeaders,
  urlSeconds,
} from './object-store.ts';

export async function createFile(
  caller: Caller,
  workspaceid: string,
  body: NewFileBody,
  now: number,
): Promise<NewFile> {
  requireWorkspace(caller, workspaceid);
  const file: FileItem = {
    fileid: newFileId(),
    orgid: caller.orgid,
    workspaceid,
    ...body,
    caller_orgid: caller.orgid,
    created_at: new Date(now).toISOString(),
    ttl: fileExpiry(now),
  };
  await putFile(file, now);
  const upload = {
    url: presignUpload(file, now),
    method: 'PUT' as const,
    headers: uploadHeaders(file),
    expires_at: urlExpiry(now),
  };
  return { ...describe(file), upload };
}

/**
 * The file of another workspace gives the same error as a missing one, and so does what a run has saved for a caller
 * of another organisation.
 */
export async function getFile(
  caller: Caller,
  workspaceid: string,
  fileid: string,
  now: number,
): Promise<StoredFile> {
  requireWorkspace(caller, workspaceid);
  const file = await readFile({ orgid: caller.orgid, workspaceid, fileid }, now);
  if (file?.caller_orgid !== caller.orgid) throw notFound(fileid);
  const download = { url: presignDownload(file, now), expires_at: urlExpiry(now) };
  return { ...describe(file), download: (await isStored(file)) ? download : null };
}

/**
 * The content is first: if the item cannot be deleted then, the request can be repeated. Which files are missing is
 * answered as by `getFile`.
 */
export async function deleteFile(
  caller: Caller,
  workspaceid: string,
  fileid: string,
  now: number,
): Promise<void> {
  requireWorkspace(caller, workspaceid);
  const file = await findFile({ orgid: caller.orgid, workspaceid, fileid }, now);
  if (file?.caller_orgid !== caller.orgid) throw notFound(fileid);
  await deleteContent(file);
  if (!(await deleteFileItem(file))) throw notFound(fileid);
}

const notFound = (fileid: string) =>
  new ServiceError('file_not_found', { detail: `The workspace has no file ${fileid}.` });

const urlExpiry = (now: number): string => new Date(now + urlSeconds * 1000).toISOString();

const describe = ({ caller_orgid: _, ttl, ...file }: FileItem) => ({
  ...file,
  expires_at: new Date(ttl * 1000).toISOString(),
});
