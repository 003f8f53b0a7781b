// The workspaces that a caller sees, names and deletes. A workspace exists once it has a name; without one it exists for
// those whose credentials name it.
import * as z from 'zod';
import { type Caller, mayUseWorkspace, requireWorkspace } from '#lib/access/caller.ts';
import { queryWorkspaces, readWorkspaces, type StoredWorkspace } from '#lib/access/workspace-items.ts';
import { formatEtag, matchesEtag } from '#lib/dynamo/etag.ts';
import { type FilteredPage, type PageQuery, readFilteredPage } from '#lib/dynamo/filtered-page.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { newWorkspaceId } from '#lib/ids.ts';
import { findContents } from './contents.ts';
import type { CreateWorkspaceBody, Workspace } from './workspace.ts';
import { deleteWorkspaceItem, insertWorkspace, replaceWorkspace } from './workspace-items.ts';

const position = z.tuple([z.string()]);

/** In the order of their ids. */
export const listWorkspaces = async (caller: Caller, query: PageQuery): Promise<FilteredPage<Workspace>> =>
  await readFilteredPage<Workspace, z.infer<typeof position>>(query, {
    list: 'workspaces',
    caller,
    position,
    getPosition: ({ workspaceid }) => [workspaceid],
    read: async (limit, after) => await readOwn(caller, limit, after?.[0]),
    isShown: () => true,
  });

async function readOwn(caller: Caller, limit: number, after: string | undefined): Promise<Workspace[]> {
  const { orgid, workspaces } = caller;
  if (workspaces === '*') return await queryWorkspaces(orgid, limit, after);
  const ids = [...workspaces].sort().filter((id) => after === undefined || id > after);
  const page = ids.slice(0, limit);
  const named = await readWorkspaces(orgid, page);
  return page.map(
    (workspaceid) => named.find((each) => each.workspaceid === workspaceid) ?? { workspaceid, orgid },
  );
}

/** A workspace that is not the caller's gives the same error as a missing one. */
export async function getWorkspace(caller: Caller, workspaceid: string): Promise<Workspace> {
  const { orgid, workspaces } = caller;
  const [named] = mayUseWorkspace(caller, workspaceid) ? await readWorkspaces(orgid, [workspaceid]) : [];
  if (named) return named;
  if (workspaces !== '*' && workspaces.has(workspaceid)) return { workspaceid, orgid };
  throw new ServiceError('workspace_not_found', { detail: `There is no workspace ${workspaceid}.` });
}

/** A new workspace is for credentials for all workspaces: others could not use it. */
export async function createWorkspace(
  caller: Caller,
  { workspaceid: wanted, name }: CreateWorkspaceBody,
  at: string,
): Promise<StoredWorkspace> {
  if (wanted === undefined && caller.workspaces !== '*')
    throw new ServiceError('permission_denied', {
      detail:
        'The credentials are for single workspaces; a new one is created with credentials for all of them.',
    });
  const workspaceid = wanted ?? newWorkspaceId();
  requireWorkspace(caller, workspaceid);
  const created = toWorkspace(caller, { workspaceid, name, at });
  if (await insertWorkspace(created)) return created;
  throw new ServiceError('workspace_id_taken', {
    detail: `The organisation has a workspace ${workspaceid}; rename it with PUT /api/v1/workspaces/${workspaceid}.`,
  });
}

const toWorkspace = (
  { id, orgid }: Caller,
  { workspaceid, name, at }: { readonly workspaceid: string; readonly name: string; readonly at: string },
): StoredWorkspace => ({
  workspaceid,
  orgid,
  name,
  version: 1,
  created_at: at,
  created_by: id,
  updated_at: at,
  updated_by: id,
});

interface WorkspaceChange {
  readonly workspaceid: string;
  readonly ifMatch: string | undefined;
}

/** Gives a name to a workspace that has none, too. */
export async function renameWorkspace(
  caller: Caller,
  { workspaceid, name, at, ifMatch }: WorkspaceChange & { readonly name: string; readonly at: string },
): Promise<StoredWorkspace> {
  const renamed = await retryOnConflict(async () => {
    const before = await getWorkspace(caller, workspaceid);
    requireEtag(before, ifMatch);
    if (!isNamed(before)) {
      const first = toWorkspace(caller, { workspaceid, name, at });
      return (await insertWorkspace(first)) ? first : undefined;
    }
    const after = { ...before, name, version: before.version + 1, updated_at: at, updated_by: caller.id };
    return (await replaceWorkspace(after, before)) ? after : undefined;
  });
  if (renamed) return renamed;
  throw contended();
}

/** What is in the workspace is looked for first; see docs/security.md for what comes into it meanwhile. */
export async function deleteWorkspace(
  caller: Caller,
  { workspaceid, ifMatch, at }: WorkspaceChange & { readonly at: string },
): Promise<void> {
  const deleted = await retryOnConflict(async () => {
    const before = await getWorkspace(caller, workspaceid);
    requireEtag(before, ifMatch);
    await requireEmpty({ orgid: caller.orgid, workspaceid }, at);
    if (!isNamed(before)) return true;
    return (await deleteWorkspaceItem(before)) ? true : undefined;
  });
  if (!deleted) throw contended();
}

async function requireEmpty(scope: { readonly orgid: string; readonly workspaceid: string }, at: string) {
  const contents = await findContents(scope, at);
  if (contents.length === 0) return;
  throw new ServiceError('workspace_not_empty', {
    detail: `It has ${contents.join(', ')}. Delete, revoke or remove them first.`,
  });
}

export const isNamed = (workspace: Workspace): workspace is StoredWorkspace =>
  workspace.version !== undefined;

function requireEtag(workspace: Workspace, ifMatch: string | undefined): void {
  const named = isNamed(workspace) ? workspace : undefined;
  if (matchesEtag(named, ifMatch)) return;
  const detail = named
    ? `The workspace has version ${named.version} and the ETag "${formatEtag(named)}"; If-Match names another.`
    : 'The workspace has no name; If-Match requires a version of it.';
  throw new ServiceError('precondition_failed', { detail });
}

const contended = (): ServiceError =>
  new ServiceError('version_conflict', {
    detail: 'The workspace is being changed by others; try again.',
  });
