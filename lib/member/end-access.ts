// Deletes the sessions and grants of somebody who is no member any more. They are refused without their membership, and
// after a new one, because they are older: what a crash leaves is not used, and expires.

import * as z from 'zod';
import { forgetAccessTokensOf } from '#lib/access/access-token.ts';
import { forgetApiKeysOf } from '#lib/access/api-key.ts';
import { grantIndex, grantItemKey } from '#lib/access/grant-items.ts';
import type { Member } from '#lib/access/member-items.ts';
import { forgetSession } from '#lib/access/session.ts';
import { sessionItemKey } from '#lib/access/session-items.ts';
import { batchDelete } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { queryAllSessions } from '#lib/session/session-items.ts';

export async function endAccess({ userid, orgid }: Pick<Member, 'userid' | 'orgid'>): Promise<void> {
  const [sessions, grants] = await Promise.all([queryAllSessions(userid), queryGrants(userid)]);
  const own = sessions.filter((session) => session.orgid === orgid);
  await batchDelete(controlTable, [
    ...own.map(({ sessionid }) => sessionItemKey(sessionid)),
    ...grants.filter((each) => each.orgid === orgid).map(({ grantid }) => grantItemKey(grantid)),
  ]);
  for (const { sessionid } of own) forgetSession(sessionid);
  forgetApiKeysOf(userid);
  forgetAccessTokensOf(userid);
}

const listedGrant = z.object({ grantid: z.string(), orgid: z.string() });

/** Of all organisations. */
async function queryGrants(userid: string): Promise<z.infer<typeof listedGrant>[]> {
  const items = await queryAll(controlTable, {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk',
    ExpressionAttributeValues: { ':pk': grantIndex(userid) },
    ProjectionExpression: 'grantid, orgid',
  });
  return items.map((item) => listedGrant.parse(item));
}
