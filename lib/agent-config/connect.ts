// "Connect": sends the browser to the authorization endpoint of an OAuth server (RFC 6749 §4.1, with PKCE by S256). The
// link stays good until the browser comes back, so whoever changes their mind can try again.
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import type { Request } from '#lib/http/request.ts';
import type { PageAnswer } from '#lib/page/page.ts';
import { callbackUrl, findClient, type OauthDeclaration, parseAuthorizationUrl } from './oauth-client.ts';
import { browserCookie, makeState, newBrowser, readBrowser } from './oauth-state.ts';
import type { OpenedLink } from './open-link.ts';
import { showLeaving } from './views.ts';

export async function connectAccount(
  { headers, at }: Pick<Request, 'headers' | 'at'>,
  { run, claims }: OpenedLink,
  { name, oauth }: { readonly name: string; readonly oauth: OauthDeclaration },
): Promise<PageAnswer> {
  const url = parseAuthorizationUrl(oauth);
  const { client_id } = await findClient(run, oauth);
  // Kept, so that two pages in one browser do not disturb each other.
  const browser = readBrowser(headers.cookie) ?? newBrowser();
  const { state, verifier } = await makeState(run, claims, name, { browser, nowMs: Date.parse(at) });
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: callbackUrl(),
    ...(oauth.scopes && { scope: oauth.scopes.join(' ') }),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [parameter, value] of Object.entries(parameters)) url.searchParams.set(parameter, value);
  const page = showLeaving(url);
  return { ...page, headers: { ...page.headers, 'set-cookie': browserCookie(browser) } };
}
