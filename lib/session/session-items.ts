// Stores, lists and ends sessions. What every request reads of them is in `lib/access/session-items.ts`, to keep bundles
// small.
import * as z from 'zod';
import { type StoredSession, sessionItemKey, storedSession } from '#lib/access/session-items.ts';
import { lowLatencyControlTable } from '#lib/dynamo/client.ts';
import { deleteItemIf, putItem } from '#lib/dynamo/items.ts';
import { queryAll, queryFirst } from '#lib/dynamo/query.ts';
import { built } from '#lib/json/built-schema.ts';

const index = (userid: string) => `SESSIONS#${userid}`;

/** DynamoDB deletes it some time after its end, which is why every reader looks at the end itself. */
export async function insertSession(session: StoredSession): Promise<void> {
  await putItem(lowLatencyControlTable, toSessionItem(session));
}

export const toSessionItem = (session: StoredSession) => ({
  ...sessionItemKey(session.sessionid),
  gsi1pk: index(session.userid),
  gsi1sk: `${session.created_at}#${session.sessionid}`,
  ttl: Math.ceil(Date.parse(session.expires_at) / 1_000),
  ...session,
});

/** False when the user has no such session. */
export const deleteSession = async ({
  sessionid,
  userid,
}: Pick<StoredSession, 'sessionid' | 'userid'>): Promise<boolean> =>
  await deleteItemIf(lowLatencyControlTable, sessionItemKey(sessionid), {
    ConditionExpression: 'userid = :userid',
    ExpressionAttributeValues: { ':userid': userid },
  });

/** Newest first. */
export async function querySessions(userid: string, limit: number): Promise<StoredSession[]> {
  const items = await queryFirst(
    lowLatencyControlTable,
    {
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :pk',
      ExpressionAttributeValues: { ':pk': index(userid) },
      ScanIndexForward: false,
    },
    limit,
  );
  return items.map((item) => storedSession.parse(item));
}

const sessionKey = /* @__PURE__ */ z.lazy(() => built(storedSession).pick({ sessionid: true, orgid: true }));

/** Of all organisations; from an index that lags behind writes by moments. */
export async function queryAllSessions(
  userid: string,
): Promise<Pick<StoredSession, 'sessionid' | 'orgid'>[]> {
  const items = await queryAll(lowLatencyControlTable, {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': index(userid) },
    ProjectionExpression: 'sessionid, orgid',
  });
  return items.map((item) => sessionKey.parse(item));
}
