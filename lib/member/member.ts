// The schemas of members and invitations, and of the requests that invite and change.
import * as z from 'zod';
import { member as storedMember } from '#lib/access/member-items.ts';
import { userId } from '#lib/access/principal.ts';
import { memberRoles } from '#lib/access/role.ts';
import { orgid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { email, invitationId } from '#lib/session/invitation-items.ts';

const invitationDaysMax = 30;
const daysDefault = 7;
const time = z.iso.datetime().meta({ example: '2027-01-31T00:00:00.000Z' });
const principal = (did: string) => z.string().meta({ description: `The principal that ${did}.` });
const address = z.string().meta({ example: 'ada@example.com' });

export const inviteBody = z
  .strictObject({
    email: email.meta({
      description:
        'Who signs in with this address, which the identity provider must have verified, becomes a member. Upper and lower case are the same.',
      example: 'ada@example.com',
    }),
    roles: memberRoles,
    expires_in_days: z
      .int()
      .min(1)
      .max(invitationDaysMax)
      .default(daysDefault)
      .meta({ description: `1 to ${invitationDaysMax}.` }),
  })
  .meta({ id: 'InviteMember' });
export type InviteBody = z.infer<typeof inviteBody>;

export const changeMemberBody = z.strictObject({ roles: memberRoles }).meta({ id: 'ChangeMember' });

export const member = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      ...built(storedMember).shape,
      userid: userId,
      orgid,
      email: address.meta({ description: 'As it was verified when the user became a member.' }),
      created_at: time,
      created_by: principal('invited the user'),
      version: z.int().meta({ description: 'Counts the changes of the membership.' }),
      updated_at: time,
      updated_by: principal('changed it last'),
    })
    .meta({ id: 'Member' }),
);

export const invitation = z
  .strictObject({
    invitationid: invitationId,
    orgid,
    email: address,
    roles: memberRoles,
    created_at: time,
    created_by: principal('invited'),
    expires_at: time,
    sign_in_url: z.string().meta({
      description: 'Where the person signs in to become a member. The service sends no mail.',
      example: 'https://api.example.com/auth/login?orgid=org_demo',
    }),
  })
  .meta({ id: 'Invitation' });
export type WireInvitation = z.infer<typeof invitation>;
