// Begins a sign-in: the browser goes to the identity provider (OpenID Connect Core 1.0 §3.1, with PKCE by S256).
import { makeCookie, readCookie } from '#lib/access/cookie.ts';
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { buildAuthorizationUrl, findProvider } from './identity-provider.ts';
import { parseReturnPath } from './return-path.ts';
import { makeState, newToken, signInSeconds } from './sign-in-state.ts';

interface LoginQuery {
  readonly return_to?: string | undefined;
  readonly orgid?: string | undefined;
  readonly prompt?: string | undefined;
}

export async function beginSignIn({
  query: { return_to, orgid, prompt },
  headers,
  sourceIp,
  at,
}: Request<unknown, LoginQuery>): Promise<PageAnswer> {
  const nowMs = Date.parse(at);
  await requireAddressQuota(sourceIp, nowMs);
  const wanted = { return_to: parseReturnPath(return_to), ...(orgid !== undefined && { orgid }) };
  const provider = await findProvider(nowMs);
  // Kept, so that two pages in one browser do not disturb each other.
  const browser = readCookie(headers.cookie, 'sign-in') ?? newToken();
  const url = await buildAuthorizationUrl(provider, { ...makeState(wanted, browser, nowMs), prompt });
  return { ...seeOther(url), cookies: [makeCookie('sign-in', browser, signInSeconds)] };
}
