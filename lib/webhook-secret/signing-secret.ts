// Signing secrets of webhooks and callbacks: the schemas of the request, the stored entry and the response. A
// secret is shown only once.
import * as z from 'zod';
import { flowid, workspaceid } from '#lib/ids.ts';

/**
 * With a flow: its senders sign webhooks with the secret. Without: the service signs the workspace's
 * callbacks with it.
 */
export interface SecretScope {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid?: string;
}

const bytesMin = 24;
const bytesMax = 64;

/** As Standard Webhooks writes them. */
const secretText = z
  .string()
  .regex(
    base64Pattern(bytesMin, bytesMax),
    `must be "whsec_" and ${bytesMin} to ${bytesMax} bytes in base64`,
  );

/** Matches groups of three bytes, then one or two bytes, whose padding may be omitted. */
function base64Pattern(min: number, max: number): RegExp {
  const groups = (least: number, most: number) =>
    `([A-Za-z0-9+/]{4}){${Math.ceil(least / 3)},${Math.floor(most / 3)}}`;
  const two = `${groups(min - 1, max - 1)}[A-Za-z0-9+/]{2}(==)?`;
  const three = `${groups(min - 2, max - 2)}[A-Za-z0-9+/]{3}=?`;
  return new RegExp(`^whsec_(${groups(min, max)}|${two}|${three})$`);
}

export const newSecretBody = z
  .strictObject({
    secret: secretText
      .optional()
      .meta({ description: `\`whsec_\` and ${bytesMin} to ${bytesMax} bytes in base64; made when absent.` }),
    keep_former_hours: z
      .int()
      .min(0)
      .max(168)
      .optional()
      .meta({ description: 'How long the secrets so far stay in force: 24 hours by default.' }),
  })
  .meta({ id: 'NewSigningSecret' });
export type NewSecretBody = z.infer<typeof newSecretBody>;

const time = z.iso.datetime();
export const secretEntry = z.strictObject({
  created_at: time,
  expires_at: time.optional().meta({ description: 'Absent: until it is replaced.' }),
});
export type SecretEntry = z.infer<typeof secretEntry>;

export const signingSecret = z
  .strictObject({
    workspaceid,
    flowid: flowid.optional(),
    secrets: z.array(secretEntry).meta({ description: 'Those in force, newest first.' }),
  })
  .meta({ id: 'SigningSecret' });
export type SigningSecret = z.infer<typeof signingSecret>;

export const createdSecret = signingSecret
  .extend({
    effective_at: time.meta({
      description:
        'From when on it holds everywhere. Events that come before, ten seconds at most after the change, may still be judged by the secrets from before.',
    }),
    secret: z
      .string()
      .optional()
      .meta({ description: 'The secret, when the service has made it. It is never shown again.' }),
  })
  .meta({ id: 'CreatedSigningSecret' });
export type CreatedSecret = z.infer<typeof createdSecret>;

/** The wire form, without the secrets. */
export const toWireSecret = ({ workspaceid, flowid }: SecretScope, secrets: readonly SecretEntry[]) => ({
  workspaceid,
  ...(flowid !== undefined && { flowid }),
  secrets: [...secrets],
});

export const isInForce = ({ expires_at }: SecretEntry, nowMs: number): boolean =>
  expires_at === undefined || Date.parse(expires_at) > nowMs;
