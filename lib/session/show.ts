// The page of a browser's session: who is signed in, and as what; or how to sign in.
import { readCookie } from '#lib/access/cookie.ts';
import { readMember } from '#lib/access/member-items.ts';
import { verifySession } from '#lib/access/session.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import type { PageAnswer } from '#lib/page/page.ts';
import { showSignedIn, showSignedOut } from './views.ts';

export async function showSession({ headers, sourceIp, at }: Request): Promise<PageAnswer> {
  await requireAddressQuota(sourceIp, Date.parse(at));
  const token = readCookie(headers.cookie, 'session');
  const caller = token === undefined ? undefined : await findCaller(token);
  const member = caller && (await readMember({ userid: caller.id, orgid: caller.orgid }));
  return member ? showSignedIn(member) : showSignedOut();
}

async function findCaller(token: string) {
  try {
    return await verifySession(token);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthenticated') return undefined;
    throw error;
  }
}
