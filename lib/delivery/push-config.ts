// A push notification configuration of an A2A task: what its client has sent, encrypted where it is stored,
// and how far its delivery is.
import * as z from 'zod';
import { type AttributeKey, decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { attempt, deliveryState } from './attempt.ts';

/** The receiver, and what it verifies. */
export interface PushTarget {
  readonly url: string;
  readonly token?: Secret | undefined;
  readonly authentication?:
    | { readonly scheme: string; readonly credentials?: Secret | undefined }
    | undefined;
}

/** The last update that was delivered: of the event of a generation, so many of its updates. */
const cursor = z.object({ generation: z.int(), updates: z.int() });
export type PushCursor = z.infer<typeof cursor>;

export const storedPushConfig = /* @__PURE__ */ z.lazy(() =>
  z.object({
    config_id: z.string(),
    /** Changes when the configuration is replaced, so that nothing is recorded for another one. */
    version: z.string(),
    created_at: z.string(),
    /** The version of A2A in which the receiver gets the updates, if it is an earlier one. */
    protocol_version: z.literal('0.3').optional(),
    target: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    /** The task as it was at this generation is the first that is delivered. */
    first_generation: z.int(),
    cursor,
    state: deliveryState,
    /** How many updates the receiver has accepted. */
    delivered: z.int(),
    last_delivered_at: z.string().optional(),
    /** Those of the next update that have failed, oldest first. */
    attempts: z.array(attempt),
    next_attempt_at: z.string().optional(),
    /** Ms since 1970 until which a worker delivers. */
    busy_until: z.number(),
  }),
);
export type StoredPushConfig = z.infer<typeof storedPushConfig>;

export type RunScope = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;

export const configPrefix = 'PUSH#';
export const configKey = (runId: string, configId: string) => ({
  pk: `RUN#${runId}`,
  sk: `${configPrefix}${configId}`,
});

const targetJson = /* @__PURE__ */ z.lazy(() =>
  z.object({
    url: z.string(),
    token: z.string().optional(),
    authentication: z.object({ scheme: z.string(), credentials: z.string().optional() }).optional(),
  }),
);

export async function encryptTarget(
  run: RunScope,
  configId: string,
  target: PushTarget,
): Promise<Uint8Array> {
  const { url, token, authentication } = target;
  const plain: z.infer<typeof targetJson> = {
    url,
    token: token?.reveal(),
    authentication: authentication && {
      scheme: authentication.scheme,
      credentials: authentication.credentials?.reveal(),
    },
  };
  return await encryptCallerData(targetKey(run, configId), JSON.stringify(plain));
}

export async function decryptTarget(run: RunScope, config: StoredPushConfig): Promise<PushTarget> {
  const plain = await decryptCallerData(targetKey(run, config.config_id), config.target);
  const { url, token, authentication } = targetJson.parse(JSON.parse(plain));
  return {
    url,
    token: toSecret(token),
    authentication: authentication && {
      scheme: authentication.scheme,
      credentials: toSecret(authentication.credentials),
    },
  };
}

const toSecret = (text: string | undefined) => (text === undefined ? undefined : secret(text));

const targetKey = ({ run_id, orgid, workspaceid }: RunScope, configId: string): AttributeKey => ({
  orgid,
  workspaceid,
  ...configKey(run_id, configId),
  attribute: 'target',
});
