// Which workspaces a person can give a client, and which of them the form of the consent page chooses.
import { grant } from '#lib/access/grant-items.ts';
import type { Member } from '#lib/access/member-items.ts';
import { queryWorkspaces, readWorkspaces } from '#lib/access/workspace-items.ts';
import { built } from '#lib/json/built-schema.ts';
import type { StoredGrant } from './grant.ts';
import { listWorkspaces } from './signed-in.ts';

export interface WorkspaceChoice {
  /** Whether the person may allow all workspaces, and name others than those that are shown. */
  readonly hasAll: boolean;
  readonly shown: readonly { readonly workspaceid: string; readonly name?: string }[];
  /** Whether the organisation has more workspaces with names than are counted. */
  readonly hasMore: boolean;
  /** With names, among those that were read. */
  readonly hiddenCount: number;
}

/** As many as a grant can name. */
const workspacesShownMax = 50;
/** A read of at most some 30 KB. */
const workspacesReadMax = 100;

/** Those of the organisation that have a name, or all in which the member has a role. */
export async function findWorkspaceChoice(member: Member): Promise<WorkspaceChoice> {
  const own = listWorkspaces(member);
  if (own === '*') return await findNamed(member.orgid);
  const named = await readWorkspaces(member.orgid, own);
  const shown = own.map(
    (workspaceid) => named.find((each) => each.workspaceid === workspaceid) ?? { workspaceid },
  );
  return { hasAll: false, shown, hasMore: false, hiddenCount: 0 };
}

async function findNamed(orgid: string): Promise<WorkspaceChoice> {
  const read = await queryWorkspaces(orgid, workspacesReadMax + 1);
  const counted = read.slice(0, workspacesReadMax);
  const byName = counted.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const shown = byName.slice(0, workspacesShownMax);
  const hasMore = read.length > counted.length;
  return { hasAll: true, shown, hasMore, hiddenCount: counted.length - shown.length };
}

/** A text for what is wrong with the choice. Never more than the member has. */
export function readWorkspaceChoice(
  member: Member,
  form: URLSearchParams,
): StoredGrant['workspaces'] | { readonly mistake: string } {
  const own = listWorkspaces(member);
  const checked = form.getAll('workspace');
  if (own !== '*') {
    const chosen = own.filter((each) => checked.includes(each));
    return chosen.length > 0 ? chosen : { mistake: 'Choose at least one workspace.' };
  }
  const typed = (form.get('workspaces') ?? '').split(',').map((each) => each.trim());
  const ids = [...new Set([...checked, ...typed])].filter((each) => each !== '' && each !== '*');
  if (!checked.includes('*')) return readIds(ids);
  if (ids.length === 0) return '*';
  return {
    mistake: 'You have chosen all workspaces and also some of them. Choose all, or only some.',
  };
}

function readIds(ids: readonly string[]): StoredGrant['workspaces'] | { readonly mistake: string } {
  if (ids.length === 0) return { mistake: 'Choose all workspaces, or at least one.' };
  const parsed = built(grant).shape.workspaces.safeParse(ids);
  if (parsed.success) return parsed.data;
  return { mistake: `Choose up to ${workspacesShownMax} workspaces, and separate ids by commas.` };
}
