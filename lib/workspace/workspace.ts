// The schemas of workspaces, and of the requests that create and rename one.
import * as z from 'zod';
import { orgid, workspaceid } from '#lib/ids.ts';

const time = z.iso.datetime().meta({ example: '2027-01-31T00:00:00.000Z' });
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), 'must be text without control characters')
  .meta({ description: 'For people.', example: 'Customer support' });

export const createWorkspaceBody = z
  .strictObject({
    workspaceid: workspaceid.optional().meta({
      description:
        'Never changes. Generated if absent. Of a workspace that exists already by its use, it gives this workspace a name.',
      example: 'ws_support',
    }),
    name,
  })
  .meta({ id: 'CreateWorkspace' });
export type CreateWorkspaceBody = z.infer<typeof createWorkspaceBody>;

export const renameWorkspaceBody = z.strictObject({ name }).meta({ id: 'RenameWorkspace' });

const ofNamed = 'Absent if the workspace has no name.';
const principal = z.string().optional().meta({ description: ofNamed });

export const workspace = z
  .strictObject({
    workspaceid,
    orgid,
    name: name.optional().meta({
      description: 'Absent for a workspace that nobody has created, and that credentials name.',
    }),
    version: z.int().optional().meta({ description: ofNamed }),
    created_at: time.optional().meta({ description: ofNamed }),
    created_by: principal,
    updated_at: time.optional().meta({ description: ofNamed }),
    updated_by: principal,
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof workspace>;
