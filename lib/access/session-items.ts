// The items of sessions in the control table. The id of a session is the hash of its cookie, from which the cookie
// cannot be made.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { getItem, updateItemIf } from '#lib/dynamo/items.ts';
import { orgid } from '#lib/ids.ts';
import { userId } from './principal.ts';

export const sessionId = /* @__PURE__ */ z.lazy(() =>
  z
    .string()
    .regex(/^ses_[\w-]{43}$/, 'must be "ses_" and 43 characters')
    .meta({ description: 'A session.', example: 'ses_n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' }),
);

export const storedSession = /* @__PURE__ */ z.lazy(() =>
  z.object({
    sessionid: sessionId,
    userid: userId,
    orgid,
    created_at: z.string(),
    /** To the five minutes. */
    last_used_at: z.string(),
    expires_at: z.string(),
    user_agent: z.string().optional(),
  }),
);
export type StoredSession = z.infer<typeof storedSession>;

export const hashSession = (token: string): string => `ses_${hash('sha256', token, 'base64url')}`;

export const sessionItemKey = (sessionid: string) => ({ pk: `SESSION#${sessionid}`, sk: 'META' });

export async function readSession(sessionid: string): Promise<StoredSession | undefined> {
  const item = await getItem(lowLatencyControlTable, sessionItemKey(sessionid));
  return item && storedSession.parse(item);
}

/** Writes nothing but `last_used_at`, as the permission `credentials.note` has it. A session that was ended stays so. */
export const recordSessionUse = async (sessionid: string, at: string): Promise<boolean> =>
  await updateItemIf(lowLatencyControlTable, sessionItemKey(sessionid), {
    UpdateExpression: 'SET last_used_at = :at',
    ...mustExist,
    ExpressionAttributeValues: { ':at': at },
  });

const idleMs = 8 * 3_600_000;
export const sessionSeconds = 24 * 3_600;

/** Both limits, whatever DynamoDB has deleted already. */
export const isOpen = ({ expires_at, last_used_at }: StoredSession, nowMs: number): boolean =>
  nowMs < Math.min(Date.parse(expires_at), Date.parse(last_used_at) + idleMs);
