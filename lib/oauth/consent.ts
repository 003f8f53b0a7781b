// The page on which a person is asked for consent to what a client wants. Whoever has no session signs in before.
import { requireEnv } from '#lib/env.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { type AskedFor, findRequest } from './authorization-request.ts';
import { showConsent } from './consent-page.ts';
import type { OAuthRequest } from './oauth-request.ts';
import { findSignedIn, type SignedIn } from './signed-in.ts';
import { findWorkspaceChoice } from './workspace-choice.ts';

export async function askForConsent(request: OAuthRequest): Promise<PageAnswer> {
  await requireAddressQuota(request.sourceIp, Date.parse(request.at));
  const asked = await findRequest(request.id);
  const [orgid] = request.rawQuery.orgid ?? [];
  const signedIn = await findSignedIn(request.headers.cookie, orgid);
  if (!signedIn || mustSignInAgain(asked, signedIn)) return seeOther(signInUrl(asked, signedIn));
  return showConsent({ asked, signedIn, choice: await findWorkspaceChoice(signedIn.member) });
}

/** What the client asks for by `prompt` and `max_age` (OpenID Connect Core 1.0 §3.1.2.1). */
export const mustSignInAgain = ({ prompts, askedAt, maxAge }: AskedFor, { since }: SignedIn): boolean =>
  ((prompts.has('login') || prompts.has('select_account')) && since < askedAt) ||
  (maxAge !== undefined && since < askedAt - maxAge);

function signInUrl({ uid, prompts }: AskedFor, signedIn: SignedIn | undefined): string {
  const base = requireEnv('GATEWAY_URL');
  const url = new URL(`${base}/auth/login`);
  url.searchParams.set('return_to', `${new URL(base).pathname.replace(/\/$/, '')}/oauth/consent/${uid}`);
  if (prompts.has('select_account')) url.searchParams.set('prompt', 'select_account');
  else if (signedIn) url.searchParams.set('prompt', 'login');
  return url.href;
}
