// Ends a sign-in: the answer of the identity provider is checked, its code exchanged, and a new session begins. The
// id of a session is always new, so that nobody knows it before, and a former session of the browser ends.
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { clearCookie, makeCookie, readCookie } from '#lib/access/cookie.ts';
import type { Member } from '#lib/access/member-items.ts';
import { hashSession, readSession, sessionSeconds } from '#lib/access/session-items.ts';
import { printRecord } from '#lib/audit/audit-record.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { endSession } from './end.ts';
import { fetchIdentity, findProvider } from './identity-provider.ts';
import { findMember } from './join.ts';
import { parseReturnPath, signInUrl } from './return-path.ts';
import { insertSession } from './session-items.ts';
import { newToken, readState, readUnverified } from './sign-in-state.ts';
import { showNoMember } from './views.ts';

type CallbackQuery = Readonly<Partial<Record<'state' | 'code' | 'error' | 'iss', string | undefined>>>;

export async function finishSignIn(request: Request<unknown, CallbackQuery>): Promise<PageAnswer> {
  const { query, headers, sourceIp, at } = request;
  const nowMs = Date.parse(at);
  await requireAddressQuota(sourceIp, nowMs);
  const begun = readBegun(query.state, headers.cookie, nowMs);
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const identity = await fetchIdentity(await findProvider(nowMs), new URLSearchParams(given), begun);
  const member = await findMember(identity, { orgid: begun.content.orgid, nowMs });
  if (!member) return { ...showNoMember(identity, begun.content), cookies: [clearCookie('sign-in')] };
  await endFormer(headers.cookie);
  const token = await beginSession(member, request);
  record(request, member);
  return {
    ...seeOther(begun.content.return_to),
    cookies: [makeCookie('session', token, sessionSeconds), clearCookie('sign-in')],
  };
}

/** For pages of errors: the address of a sign-in for what was asked for at first, as far as it is known. */
export function tryAgainUrl({ queryStringParameters: query }: SentQuery): string {
  try {
    const { return_to, orgid } = readUnverified(query?.state ?? '');
    const wanted = { ...(orgid !== undefined && { orgid }), return_to: parseReturnPath(return_to) };
    return `${signInUrl()}?${new URLSearchParams(wanted)}`;
  } catch {
    return signInUrl();
  }
}

type SentQuery = Pick<APIGatewayProxyEvent, 'queryStringParameters'>;

/** An answer that this browser did not ask for is not used: it could sign it in as somebody else (login CSRF). */
function readBegun(state = '', cookies: string | undefined, nowMs: number) {
  const browser = readCookie(cookies, 'sign-in');
  const begun = browser === undefined ? undefined : readState(state, browser, nowMs);
  if (begun) return begun;
  throw new ServiceError('sign_in_failed', {
    detail:
      'This browser did not start this sign-in, or started it more than ten minutes ago. Sign in again.',
  });
}

async function endFormer(cookies: string | undefined): Promise<void> {
  const token = readCookie(cookies, 'session');
  const former = token === undefined ? undefined : await readSession(hashSession(token));
  if (former) await endSession(former);
}

/** Returns the value of the cookie, of which only the hash is stored. */
async function beginSession(
  { userid, orgid, created_at }: Member,
  { headers, at }: Request,
): Promise<string> {
  const token = newToken();
  // One that is older than the membership would be refused.
  const begunAt = at < created_at ? created_at : at;
  const userAgent = headers['user-agent']?.replace(/[^\x20-\x7e]/g, '').slice(0, 200);
  await insertSession({
    sessionid: hashSession(token),
    userid,
    orgid,
    created_at: begunAt,
    last_used_at: begunAt,
    expires_at: new Date(Date.parse(begunAt) + sessionSeconds * 1_000).toISOString(),
    ...(userAgent && { user_agent: userAgent }),
  });
  return token;
}

function record({ requestId: requestid, at }: Request, { userid: caller, orgid }: Member): void {
  printRecord({ at, requestid, operation: 'session/sign-in', caller, orgid, status: 303 });
}
