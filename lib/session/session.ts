// The schemas of sessions, and of what a caller may know about itself.
import * as z from 'zod';
import { permission } from '#lib/access/permission.ts';
import { principalKinds } from '#lib/access/principal.ts';
import { memberRoles } from '#lib/access/role.ts';
import { sessionId, storedSession } from '#lib/access/session-items.ts';
import { orgid, workspaceid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';

const time = z.iso.datetime().meta({ example: '2027-01-31T00:00:00.000Z' });

export const session = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      ...built(storedSession).omit({ userid: true }).shape,
      sessionid: sessionId,
      orgid,
      created_at: time,
      last_used_at: time.meta({
        description: 'To five minutes. A session ends eight hours after its last use.',
      }),
      expires_at: time.meta({ description: 'When it ends at the latest.' }),
      user_agent: z.string().optional().meta({ description: 'What the browser called itself at sign-in.' }),
      is_current: z.boolean().meta({ description: 'Whether it is that of this request.' }),
    })
    .meta({ id: 'Session' }),
);
export type Session = z.infer<typeof session>;

/** As many as a page of workspaces has at most. */
export const namesMax = 200;

export const me = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      kind: z.enum(principalKinds),
      id: z.string().meta({ description: 'The principal.' }),
      root: z.string().optional().meta({
        description: 'Of a key that another principal has made: who began the chain of keys.',
      }),
      name: z.string().optional(),
      email: z.string().optional().meta({ description: 'As it was verified when the user became a member.' }),
      roles: memberRoles.optional().meta({ description: 'Of a user.' }),
      orgid,
      workspaces: z
        .union([z.literal('*'), z.array(workspaceid)])
        .meta({ description: '`"*"` is all workspaces of the organisation.' }),
      workspace_names: z.record(workspaceid, z.string()).meta({
        description: `The names of those that have one; of a caller for all workspaces the first ${namesMax} by id, of which \`/api/v1/workspaces\` lists all.`,
      }),
      permissions: z
        .array(permission)
        .meta({ description: 'What the caller may do in at least one workspace.' }),
      workspace_permissions: z.record(workspaceid, z.array(permission)).optional().meta({
        description: 'What the caller may do in each workspace; absent if it is the same in all.',
      }),
      organizations: z
        .array(z.strictObject({ orgid, roles: memberRoles }))
        .optional()
        .meta({
          description: 'Of a user: where they are a member. `/auth/login?orgid=` changes to another.',
        }),
      expires_at: time.optional().meta({
        description: 'Of a key, and of an access token: when what the user has allowed its client ends.',
      }),
      sign_out_url: z.string().optional().meta({
        description: 'Of a user: where a page of the service posts an empty form to end the session.',
      }),
    })
    .meta({ id: 'Me' }),
);
export type Me = z.infer<typeof me>;
