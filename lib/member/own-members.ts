// The members that a caller sees, changes and removes.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { type Member, readMember } from '#lib/access/member-items.ts';
import type { MemberRoles } from '#lib/access/role.ts';
import { formatEtag, matchesEtag } from '#lib/dynamo/etag.ts';
import { type FilteredPage, type PageQuery, readFilteredPage } from '#lib/dynamo/filtered-page.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { isVisible, refreshCaller, requireAuthority, requireKnownWorkspaces } from './authority.ts';
import { endAccess } from './end-access.ts';
import { deleteMember, type MemberWrite, queryMembers, replaceMember } from './member-items.ts';

const position = z.tuple([z.string(), z.string()]);

export const listMembers = async (caller: Caller, query: PageQuery): Promise<FilteredPage<Member>> =>
  await readFilteredPage(query, {
    list: 'members',
    caller,
    position,
    getPosition: ({ email, userid }): z.infer<typeof position> => [email, userid],
    read: async (limit, after) =>
      await queryMembers(caller.orgid, limit, after && { email: after[0], userid: after[1] }),
    isShown: (member: Member) => isVisible(caller, member),
  });

/** One of another organisation, or with roles in other workspaces, gives the same error as a missing one. */
export async function getMember(caller: Caller, userid: string): Promise<Member> {
  const member = await readMember({ userid, orgid: caller.orgid });
  if (member && isVisible(caller, member)) return member;
  throw new ServiceError('member_not_found', { detail: `There is no member ${userid}.` });
}

export interface MemberChange {
  readonly userid: string;
  readonly roles: MemberRoles;
  readonly at: string;
  readonly ifMatch: string | undefined;
}

/** Takes effect in all processes within a minute. */
export async function changeMember(caller: Caller, change: MemberChange): Promise<Member> {
  const { userid, roles, at, ifMatch } = change;
  const current = await refreshCaller(caller);
  requireAuthority(current, roles);
  await requireKnownWorkspaces(current, roles);
  return await writeMember(current, { userid, ifMatch }, async (before) => {
    const after = { ...before, roles, version: before.version + 1, updated_at: at, updated_by: caller.id };
    return { outcome: await replaceMember(after, before), member: after };
  });
}

/** The sessions and grants go after the membership, without which they are refused already. */
export async function removeMember(
  caller: Caller,
  request: Pick<MemberChange, 'userid' | 'ifMatch'>,
): Promise<void> {
  const current = await refreshCaller(caller);
  const removed = await writeMember(current, request, async (member) => ({
    outcome: await deleteMember(member),
    member,
  }));
  await endAccess(removed);
}

interface Written {
  readonly outcome: MemberWrite;
  readonly member: Member;
}

async function writeMember(
  caller: Caller,
  { userid, ifMatch }: Pick<MemberChange, 'userid' | 'ifMatch'>,
  write: (before: Member) => Promise<Written>,
): Promise<Member> {
  const written = await retryOnConflict(async () => {
    const before = await getMember(caller, userid);
    requireEtag(before, ifMatch);
    requireAuthority(caller, before.roles);
    const { outcome, member } = await write(before);
    if (outcome === 'lastOwner') throw lastOwner(userid);
    return outcome === 'done' ? member : undefined;
  });
  if (written) return written;
  throw new ServiceError('version_conflict', {
    detail: 'The member is being changed by others; try again.',
  });
}

const lastOwner = (userid: string): ServiceError =>
  new ServiceError('last_owner', {
    detail: `${userid} is the last owner of the organisation: make another member an owner first.`,
  });

function requireEtag(member: Member, ifMatch: string | undefined): void {
  if (matchesEtag(member, ifMatch)) return;
  const detail = `The member has version ${member.version} and the ETag "${formatEtag(member)}"; If-Match names another.`;
  throw new ServiceError('precondition_failed', { detail });
}
