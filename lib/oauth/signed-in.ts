// Who answers the request of a client: the person of the browser's session, so that one sign-in serves pages and clients.
import { readCookie } from '#lib/access/cookie.ts';
import { type Member, queryMemberships } from '#lib/access/member-items.ts';
import { verifySession } from '#lib/access/session.ts';
import { hashSession, readSession } from '#lib/access/session-items.ts';
import { ServiceError } from '#lib/errors.ts';

export interface SignedIn {
  /** Of the organisation that is chosen. */
  readonly member: Member;
  readonly memberships: readonly Member[];
  /** Known to this session alone: a form that was made for another one is not accepted. */
  readonly sessionToken: string;
  /** In seconds since 1970. */
  readonly since: number;
}

/** Undefined without a session. An organisation that the person is no member of is not chosen. */
export async function findSignedIn(
  cookies: string | undefined,
  orgid: string | undefined,
): Promise<SignedIn | undefined> {
  const sessionToken = readCookie(cookies, 'session');
  if (sessionToken === undefined) return undefined;
  const [caller, session] = await Promise.all([
    verifySession(sessionToken).catch(ignoreEndedSession),
    readSession(hashSession(sessionToken)),
  ]);
  if (!caller || !session) return undefined;
  const memberships = await queryMemberships(caller.id);
  const member =
    memberships.find((each) => each.orgid === orgid) ??
    memberships.find((each) => each.orgid === caller.orgid);
  const since = Math.floor(Date.parse(session.created_at) / 1_000);
  return member && { member, memberships, sessionToken, since };
}

function ignoreEndedSession(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'unauthenticated') return undefined;
  throw error;
}

/** Those in which a member has a role. */
export const listWorkspaces = ({ roles }: Member): readonly string[] | '*' =>
  '*' in roles ? '*' : Object.keys(roles).sort();
