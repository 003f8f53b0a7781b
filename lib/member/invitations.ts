// The open invitations that a caller sees and withdraws.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { type FilteredPage, type PageQuery, readFilteredPage } from '#lib/dynamo/filtered-page.ts';
import { ServiceError } from '#lib/errors.ts';
import {
  deleteInvitation,
  type Invitation,
  queryInvitationsOf,
  readInvitation,
} from '#lib/session/invitation-items.ts';
import { isVisible, requireAuthority } from './authority.ts';
import { toWireInvitation } from './invite.ts';
import type { WireInvitation } from './member.ts';

const position = z.tuple([z.string()]);

export async function listInvitations(
  caller: Caller,
  query: PageQuery,
  at: string,
): Promise<FilteredPage<WireInvitation>> {
  const { items, nextCursor } = await readFilteredPage(query, {
    list: 'invitations',
    caller,
    position,
    getPosition: ({ invitationid }): z.infer<typeof position> => [invitationid],
    read: async (limit, after) => await queryInvitationsOf(caller.orgid, limit, after?.[0]),
    // DynamoDB deletes those that have expired some time later.
    isShown: (each: Invitation) => each.expires_at > at && isVisible(caller, each),
  });
  return { items: items.map(toWireInvitation), nextCursor };
}

/** One of another organisation, or for other workspaces, gives the same error as a missing one. */
export async function withdrawInvitation(caller: Caller, invitationid: string, at: string): Promise<void> {
  const found = await readInvitation({ orgid: caller.orgid, invitationid }, Date.parse(at));
  if (found && isVisible(caller, found)) {
    requireAuthority(caller, found.roles);
    if (await deleteInvitation(found)) return;
  }
  throw new ServiceError('invitation_not_found', { detail: `There is no invitation ${invitationid}.` });
}
