// The files that a trigger names by their ids, as the flow sees them in `input.files`.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { findFile } from '#lib/run/run-files.ts';

/** Throws `validation_failed` for a file that the run could not use. */
export async function findInputFiles(
  { orgid }: Caller,
  workspaceid: string,
  ids: readonly string[],
): Promise<NonNullable<FlowInput['files']>> {
  const user = { orgid, workspaceid, caller_orgid: orgid };
  const found = await Promise.all(ids.map((id) => findFile(user, id, Date.now())));
  const missing = found.flatMap((file, index) => (file ? [] : [index]));
  if (missing.length > 0)
    throw new ServiceError('validation_failed', {
      errors: missing.map((index) => ({
        pointer: `/body/files/${index}`,
        detail: 'must be a file of the workspace',
      })),
    });
  return found.flatMap((file) => {
    if (!file) return [];
    const { fileid, name, media_type, bytes } = file;
    return [{ file: fileid, name, media_type, bytes }];
  });
}
