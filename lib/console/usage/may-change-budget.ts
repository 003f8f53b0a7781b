// Whether a person may change a budget: of a workspace by their role there, of the organisation by that in all of it.
import type { CallOutput } from '../api/client.ts';

export function mayChangeBudget(me: CallOutput<'getMe'>, workspaceid: string | undefined): boolean {
  if (workspaceid === undefined && me.workspaces !== '*') return false;
  const permissions = me.workspace_permissions?.[workspaceid ?? ''] ?? me.permissions;
  return permissions.includes('budgets:write');
}
