// Verifies the cookie of a session: two reads of the control table, of the session and of the membership of its user.
// Each process remembers the result for less than a minute.
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import { requestLog } from '#lib/log.ts';
import type { Caller } from './caller.ts';
import { readMemberOf, toCaller } from './member-items.ts';
import { hashSession, isOpen, readSession, recordSessionUse, type StoredSession } from './session-items.ts';

const rememberedMs = 45_000;
const noteAfterMs = 5 * 60_000;

/** Only of sessions that are open, by their ids: others are read each time. */
const remembered = boundedMap<string, Caller>({
  entriesMax: 1_000,
  keptMs: rememberedMs,
});

/** Every reason for refusal looks the same to the caller; the cause is for the log. */
export async function verifySession(token: string): Promise<Caller> {
  const caller = /^[\w-]{43}$/.test(token) ? await findCaller(hashSession(token)) : undefined;
  if (caller) return caller;
  throw new ServiceError('unauthenticated', { cause: 'The session has ended, or there was none.' });
}

/** Makes this process ask again about a session. */
export function forgetSession(sessionid: string): void {
  remembered.delete(sessionid);
}

async function findCaller(sessionid: string): Promise<Caller | undefined> {
  const known = remembered.get(sessionid);
  if (known) return known;
  const session = await readSession(sessionid);
  const nowMs = Date.now();
  if (!session || !isOpen(session, nowMs)) return undefined;
  const member = await readMemberOf(session);
  if (!member || !(await noteUse(session, nowMs))) return undefined;
  const caller = toCaller(member);
  const leftMs = Date.parse(session.expires_at) - nowMs;
  remembered.set(sessionid, caller, Date.now() + Math.max(1, Math.min(rememberedMs, leftMs)));
  return caller;
}

/** False when the session was ended meanwhile. No request fails because its use could not be recorded. */
async function noteUse({ sessionid, last_used_at, userid }: StoredSession, nowMs: number): Promise<boolean> {
  if (nowMs - Date.parse(last_used_at) < noteAfterMs) return true;
  try {
    return await recordSessionUse(sessionid, new Date(nowMs).toISOString());
  } catch (error) {
    requestLog({ caller: userid }).warn('the use of a session was not noted', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return true;
  }
}
