// Ends sessions: takes effect at once in this process, and in all others within a minute.
import { type Caller, refuseAccessToken } from '#lib/access/caller.ts';
import { forgetSession } from '#lib/access/session.ts';
import type { StoredSession } from '#lib/access/session-items.ts';
import { ServiceError } from '#lib/errors.ts';
import { deleteSession } from './session-items.ts';

export async function endSession(session: Pick<StoredSession, 'sessionid' | 'userid'>): Promise<boolean> {
  const isEnded = await deleteSession(session);
  forgetSession(session.sessionid);
  return isEnded;
}

/** A session of another user gives the same error as a missing one. */
export async function endOwnSession(caller: Caller, sessionid: string): Promise<void> {
  refuseAccessToken(caller);
  if (await endSession({ sessionid, userid: caller.id })) return;
  throw new ServiceError('session_not_found', { detail: `There is no session ${sessionid}.` });
}
