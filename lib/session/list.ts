// The sessions of the user who asks, in all organisations. A key has none.
import { type Caller, refuseAccessToken } from '#lib/access/caller.ts';
import { readCookie } from '#lib/access/cookie.ts';
import { principalKind } from '#lib/access/principal.ts';
import { hashSession, isOpen } from '#lib/access/session-items.ts';
import type { Session } from './session.ts';
import { querySessions } from './session-items.ts';

/** Whoever has more has forgotten them; the newest are shown. */
const sessionsMax = 100;

export async function listSessions(
  caller: Caller,
  { cookies, nowMs }: { readonly cookies: string | undefined; readonly nowMs: number },
): Promise<Session[]> {
  refuseAccessToken(caller);
  const { id } = caller;
  if (principalKind(id) !== 'user') return [];
  const token = readCookie(cookies, 'session');
  const current = token === undefined ? undefined : hashSession(token);
  const sessions = await querySessions(id, sessionsMax);
  return sessions
    .filter((session) => isOpen(session, nowMs))
    .map(({ userid: _, ...session }) => ({ ...session, is_current: session.sessionid === current }));
}
