// Signing secrets of webhooks and callbacks: the schemas of the request, the stored entry and the response. A
// secret is shown only once.
import * as z from 'zod';
import { declaredTriggerId, flowid, workspaceid } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';

/**
 * With a flow, or a declared trigger with a source: its senders sign webhooks with the secret. Without: the
 * service signs the workspace's callbacks with it.
 */
export interface SecretScope {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid?: string;
  readonly trigger?: { readonly trigger_id: string; readonly declared_at: string };
}

export const isOfWebhook = ({ flowid, trigger }: Pick<SecretScope, 'flowid' | 'trigger'>): boolean =>
  flowid !== undefined || trigger !== undefined;

const bytesMin = 24;
const bytesMax = 64;

/** As Standard Webhooks writes them. */
const secretText = z
  .string()
  .regex(
    base64Pattern(bytesMin, bytesMax),
    `must be "whsec_" and ${bytesMin} to ${bytesMax} bytes in base64`,
  );
export const isStandardSecret = (text: string): boolean => secretText.safeParse(text).success;

const sourceSecretMin = 16;
const sourceSecretMax = 512;
/** The systems that sign events make secrets in forms of their own. */
const sourceSecretText = z
  .string()
  .min(sourceSecretMin)
  .max(sourceSecretMax)
  .regex(/^[ -~]*$/, 'must be ASCII characters');

/** Matches groups of three bytes, then one or two bytes, whose padding may be omitted. */
function base64Pattern(min: number, max: number): RegExp {
  const groups = (least: number, most: number) =>
    `([A-Za-z0-9+/]{4}){${Math.ceil(least / 3)},${Math.floor(most / 3)}}`;
  const two = `${groups(min - 1, max - 1)}[A-Za-z0-9+/]{2}(==)?`;
  const three = `${groups(min - 2, max - 2)}[A-Za-z0-9+/]{3}=?`;
  return new RegExp(`^whsec_(${groups(min, max)}|${two}|${three})$`);
}

const standardForm = `\`whsec_\` and ${bytesMin} to ${bytesMax} bytes in base64`;

export const newSecretBody = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      secret: secretText.optional().meta({ description: `${standardForm}; made when absent.` }),
      keep_former_hours: z
        .int()
        .min(0)
        .max(168)
        .optional()
        .meta({ description: 'How long the secrets so far stay in force: 24 hours by default.' }),
    })
    .meta({ id: 'NewSigningSecret' }),
);
export type NewSecretBody = z.infer<typeof newSecretBody>;

/** The form of the secret is checked when it is known whose it is. */
export const newWebhookSecretBody = /* @__PURE__ */ z.lazy(() =>
  built(newSecretBody)
    .extend({
      secret: sourceSecretText.optional().meta({
        description:
          `For a flow: ${standardForm}. For a declared trigger with a source: as the sender has it, ` +
          `${sourceSecretMin} to ${sourceSecretMax} ASCII characters. Made when absent.`,
      }),
    })
    .meta({ id: 'NewWebhookSecret' }),
);

const time = z.iso.datetime();
export const secretEntry = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    created_at: time,
    expires_at: time.optional().meta({ description: 'Absent: until it is replaced.' }),
  }),
);
export type SecretEntry = z.infer<typeof secretEntry>;

export const signingSecret = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      workspaceid,
      flowid: flowid.optional(),
      trigger_id: declaredTriggerId.optional(),
      secrets: z.array(secretEntry).meta({ description: 'Those in force, newest first.' }),
    })
    .meta({ id: 'SigningSecret' }),
);
export type SigningSecret = z.infer<typeof signingSecret>;

export const createdSecret = /* @__PURE__ */ z.lazy(() =>
  built(signingSecret)
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
    .meta({ id: 'CreatedSigningSecret' }),
);
export type CreatedSecret = z.infer<typeof createdSecret>;

/** The wire form, without the secrets. */
export const toWireSecret = (
  { workspaceid, flowid, trigger }: SecretScope,
  secrets: readonly SecretEntry[],
) => ({
  workspaceid,
  ...(flowid !== undefined && { flowid }),
  ...(trigger && { trigger_id: trigger.trigger_id }),
  secrets: [...secrets],
});

export const isInForce = ({ expires_at }: SecretEntry, nowMs: number): boolean =>
  expires_at === undefined || Date.parse(expires_at) > nowMs;
