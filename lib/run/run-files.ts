// The files that a run may use: those of its workspace that the organisation of its caller has brought. The run acts with
// the rights of its owner, so without the second condition a caller could have it read any file of the workspace.
import { createHash } from 'node:crypto';
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { cleanMediaType, cleanName } from '#lib/file/clean-labels.ts';
import { type FileItem, fileExpiry, putFile, readFile } from '#lib/file/file-items.ts';
import { requireRoom } from '#lib/file/file-usage.ts';
import { isStored, readContent, writeContent } from '#lib/file/object-store.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { FileContent, RunFiles, SavedFile, StoredFileReference } from '#lib/flow/ports/file.ts';
import { deriveFileId } from '#lib/ids.ts';
import type { StoredRun } from './stored-run.ts';

export type FileUser = Pick<StoredRun, 'orgid' | 'workspaceid' | 'caller_orgid'>;

/** Undefined for a missing file, and for every other one that the run may not use. */
export async function findFile(user: FileUser, fileid: string, now: number): Promise<FileItem | undefined> {
  const { orgid, workspaceid } = user;
  const file = await readFile({ orgid, workspaceid, fileid }, now);
  return file?.caller_orgid === user.caller_orgid ? file : undefined;
}

export const createRunFiles = (user: FileUser): RunFiles => ({
  find: (id, signal) => orUnavailable(describeFile(user, id, signal)),
  read: (id, signal) => orUnavailable(readRunFile(user, id, signal)),
  save: (file, signal) => orUnavailable(saveRunFile(user, file, signal)),
});

/** Throws `file.not_found` and `file.not_uploaded`. */
async function readRunFile(user: FileUser, fileid: string, signal: AbortSignal): Promise<FileContent> {
  const file = await requireFile(user, fileid);
  const content = await readContent(file, signal);
  if (content) return { name: file.name, media_type: file.media_type, content };
  throw notUploaded(fileid);
}

/** Throws the same. */
async function describeFile(
  user: FileUser,
  fileid: string,
  signal: AbortSignal,
): Promise<StoredFileReference> {
  const file = await requireFile(user, fileid);
  if (!(await isStored(file, signal))) throw notUploaded(fileid);
  return toReference(file);
}

async function requireFile(user: FileUser, fileid: string): Promise<FileItem> {
  const file = await findFile(user, fileid, Date.now());
  if (file) return file;
  throw new NodeError('file.not_found', `The run has no file ${fileid}.`);
}

const notUploaded = (fileid: string) =>
  new NodeError('file.not_uploaded', `The content of ${fileid} was not uploaded.`);

const toReference = ({ fileid, name, media_type, bytes }: FileItem): StoredFileReference => ({
  file: fileid,
  name,
  media_type,
  bytes,
});

/**
 * The id follows from the execution and the content: an execution that is repeated stores the same file again, or, if
 * its content is another, another file. What is stored under an id never changes. The item is last, so that there is no
 * file without its content.
 */
async function saveRunFile(
  user: FileUser,
  { key, content, ...labels }: SavedFile,
  signal: AbortSignal,
): Promise<StoredFileReference> {
  const { orgid, workspaceid, caller_orgid } = user;
  const now = Date.now();
  const sha256 = createHash('sha256').update(content).digest('hex');
  const file: FileItem = {
    fileid: deriveFileId(`${key} ${sha256}`),
    orgid,
    workspaceid,
    name: cleanName(labels.name),
    media_type: cleanMediaType(labels.media_type),
    bytes: content.byteLength,
    sha256,
    caller_orgid,
    created_at: new Date(now).toISOString(),
    ttl: fileExpiry(now),
  };
  await requireRoom({ orgid: caller_orgid, bytes: file.bytes }, now);
  await writeContent(file, content, signal);
  await putFile(file, now);
  return toReference(file);
}

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'file_quota_exceeded')
      throw new NodeError('file.quota_exceeded', cause.detail ?? cause.message, { cause });
    if (!isOutage(cause)) throw cause;
    throw new NodeError('file.unavailable', 'The store of files does not answer. Try again later.', {
      cause,
    });
  }
}

const isOutage = (error: unknown): boolean =>
  isTransientFailure(error) || (error instanceof ServiceError && error.code === 'dependency_unavailable');
