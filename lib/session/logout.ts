// Signs out: the session of the cookie ends. It takes a form of our own page, which cannot set a header, so `Origin` and
// `Sec-Fetch-Site` guard it; a browser sends the cookie with no form of another site (`SameSite=Lax`).
import { clearCookie, readCookie } from '#lib/access/cookie.ts';
import { hashSession, readSession } from '#lib/access/session-items.ts';
import { printRecord } from '#lib/audit/audit-record.ts';
import { requireOwnOrigin } from '#lib/http/own-page-step.ts';
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { endSession } from './end.ts';
import { sessionPagePath } from './return-path.ts';

export async function signOut(request: Request): Promise<PageAnswer> {
  const { headers, sourceIp, at, requestId: requestid } = request;
  const { origin, 'sec-fetch-site': site } = headers;
  requireOwnOrigin({
    ...(origin !== undefined && { origin: [origin] }),
    ...(site !== undefined && { 'sec-fetch-site': [site] }),
  });
  await requireAddressQuota(sourceIp, Date.parse(at));
  const token = readCookie(headers.cookie, 'session');
  const session = token === undefined ? undefined : await readSession(hashSession(token));
  if (session && (await endSession(session)))
    printRecord({
      at,
      requestid,
      operation: 'session/sign-out',
      caller: session.userid,
      orgid: session.orgid,
      status: 303,
    });
  return { ...seeOther(sessionPagePath()), cookies: [clearCookie('session')] };
}
