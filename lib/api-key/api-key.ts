// The schemas of an API key and of the request that creates one. The token itself is shown once and never
// stored.
import * as z from 'zod';
import { permission } from '#lib/access/permission.ts';
import { keyId, orgid, workspaceid } from '#lib/ids.ts';

const daysMax = 365;
/** More than the number of permissions, because callers may repeat some. */
const scopesMax = 50;
const label = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), 'must be text without control characters')
  .meta({ description: 'What the key is for.', example: 'CI pipeline' });
const workspaces = z
  .union([z.literal('*'), z.array(workspaceid).min(1).max(50)], 'must be "*" or a list of workspaces')
  .meta({ description: '`"*"`, or the workspaces of the organisation that the key is for.' });
const time = z.iso.datetime().meta({ example: '2027-01-31T00:00:00.000Z' });

export const createKeyBody = z
  .strictObject({
    label,
    scopes: z
      .array(permission)
      .min(1)
      .max(scopesMax)
      .meta({ description: "Some of the creator's permissions." }),
    workspaces,
    expires_in_days: z.int().min(1).max(daysMax).optional().meta({
      description:
        'A year at most. 90 unless given, or fewer where the key that creates it ends sooner. To end later than that key takes `apikeys:extend`.',
    }),
    expires_at: time.optional().meta({ description: 'In place of `expires_in_days`.' }),
  })
  .refine((body) => body.expires_in_days === undefined || body.expires_at === undefined, {
    path: ['expires_at'],
    error: 'must not be given beside expires_in_days',
  })
  .meta({ id: 'CreateApiKey' });
export type CreateKeyBody = z.infer<typeof createKeyBody>;

export const apiKey = z
  .strictObject({
    keyid: keyId,
    orgid,
    label,
    scopes: z.array(permission),
    workspaces,
    created_by: z.string().meta({ description: 'The user or the key that created it.' }),
    root: z
      .string()
      .optional()
      .meta({
        description:
          'The user, or the key that was issued offline, at the beginning of the chain of keys that created it. ' +
          'A key of a user may never do more than the user, and ends with the membership. None for older keys.',
      }),
    created_at: time,
    expires_at: time,
    revoked_at: time.optional().meta({ description: 'Since when it is refused.' }),
    last_used_at: time.optional().meta({ description: 'To the hour.' }),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKey>;

const keyWarning = z
  .strictObject({
    pointer: z.string().meta({ description: 'RFC 6901, from `/body`.' }),
    code: z.enum(['ends_with_creator']).meta({
      description: '`ends_with_creator`: the key ends before the default time, with the key that created it.',
    }),
    detail: z.string(),
  })
  .meta({ id: 'ApiKeyWarning' });
export type KeyWarning = z.infer<typeof keyWarning>;

export const createdKey = apiKey
  .extend({
    token: z.string().meta({ description: 'The key itself. It is never shown again.' }),
    warnings: z.array(keyWarning).optional(),
  })
  .meta({ id: 'CreatedApiKey' });
