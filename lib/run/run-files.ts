// The files that a run may use: those of its workspace that the organisation of its caller has brought. The run acts with
// the rights of its owner, so without the second condition a caller could have it read any file of the workspace.
import { isTransientFailure } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';
import { type FileItem, readFile } from '#lib/file/file-items.ts';
import { readContent } from '#lib/file/object-store.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { FileContent } from '#lib/model/files.ts';
import type { StoredRun } from './stored-run.ts';

export type FileUser = Pick<StoredRun, 'orgid' | 'workspaceid' | 'caller_orgid'>;

/** Undefined for a missing file, and for every other one that the run may not use. */
export async function findFile(user: FileUser, fileid: string, now: number): Promise<FileItem | undefined> {
  const { orgid, workspaceid } = user;
  const file = await readFile({ orgid, workspaceid, fileid }, now);
  return file?.caller_orgid === user.caller_orgid ? file : undefined;
}

/** Throws `file.not_found`, `file.not_uploaded` and `file.unavailable`. */
export async function readRunFile(user: FileUser, fileid: string, signal: AbortSignal): Promise<FileContent> {
  try {
    const file = await findFile(user, fileid, Date.now());
    if (!file) throw new NodeError('file.not_found', `The run has no file ${fileid}.`);
    const content = await readContent(file, signal);
    if (content) return { name: file.name, media_type: file.media_type, content };
    throw new NodeError('file.not_uploaded', `The content of ${fileid} was not uploaded.`);
  } catch (cause) {
    if (!isOutage(cause)) throw cause;
    throw new NodeError('file.unavailable', 'The store of files does not answer. Try again later.', {
      cause,
    });
  }
}

const isOutage = (error: unknown): boolean =>
  isTransientFailure(error) || (error instanceof ServiceError && error.code === 'dependency_unavailable');
