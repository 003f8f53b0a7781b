// Creates, renames and deletes the items of workspaces. `lib/access/workspace-items.ts` reads them.
import { type StoredWorkspace, workspaceItemKey } from '#lib/access/workspace-items.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { ifUnchanged } from '#lib/dynamo/etag.ts';
import { transactWrite, transactWriteIf } from '#lib/dynamo/transactions.ts';

const toItem = (workspace: StoredWorkspace) => ({ ...workspaceItemKey(workspace), ...workspace });

/** False when there is one. */
export const insertWorkspace = async (workspace: StoredWorkspace): Promise<boolean> =>
  await transactWriteIf(controlTable, { Put: { Item: toItem(workspace), ...mustNotExist } });

/** False when the workspace is not the one that was read. */
export const replaceWorkspace = async (after: StoredWorkspace, before: StoredWorkspace): Promise<boolean> =>
  !(await transactWrite(controlTable, [{ Put: { Item: toItem(after), ...ifUnchanged(before) } }]));

/** False when the workspace is not the one that was read. */
export const deleteWorkspaceItem = async (before: StoredWorkspace): Promise<boolean> =>
  !(await transactWrite(controlTable, [
    { Delete: { Key: workspaceItemKey(before), ...ifUnchanged(before) } },
  ]));
