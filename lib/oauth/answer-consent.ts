// The form of the consent page. What the person allows is stored together with the code that the client gets.
import type { Member } from '#lib/access/member-items.ts';
import { printRecord } from '#lib/audit/audit-record.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireOwnOrigin } from '#lib/http/own-page-step.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import type { PageAnswer } from '#lib/page/page.ts';
import { newToken } from '#lib/session/sign-in-state.ts';
import { type AskedFor, findRequest } from './authorization-request.ts';
import { mustSignInAgain } from './consent.ts';
import { showAnswered, showConsent } from './consent-page.ts';
import { isFormToken } from './form-token.ts';
import { grantSeconds, type StoredGrant } from './grant.ts';
import type { OAuthRequest } from './oauth-request.ts';
import { runProvider } from './run-provider.ts';
import { findSignedIn, type SignedIn } from './signed-in.ts';
import { findWorkspaceChoice, readWorkspaceChoice } from './workspace-choice.ts';

export async function answerConsent(request: OAuthRequest): Promise<PageAnswer> {
  const { headers, sourceIp, at } = request;
  requireOwnForm(headers);
  await requireAddressQuota(sourceIp, Date.parse(at));
  const form = new URLSearchParams(request.rawBody);
  const asked = await findRequest(request.id);
  const signedIn = await findSignedIn(headers.cookie, form.get('orgid') ?? undefined);
  if (!signedIn || mustSignInAgain(asked, signedIn) || !isFormOf(form, asked, signedIn)) throw otherSession();
  if (form.get('action') !== 'allow') return await finish(request, asked, signedIn, undefined);
  const workspaces = readWorkspaceChoice(signedIn.member, form);
  if (typeof workspaces === 'object' && 'mistake' in workspaces) {
    const choice = await findWorkspaceChoice(signedIn.member);
    return showConsent({ asked, signedIn, choice, mistake: { text: workspaces.mistake, form } });
  }
  return await finish(request, asked, signedIn, makeGrant(asked, signedIn.member, workspaces, at));
}

/** A browser sends no form of another site with the cookie (`SameSite=Lax`), and says where a form comes from. */
function requireOwnForm({
  origin,
  'sec-fetch-site': site,
  'content-type': type = '',
}: OAuthRequest['headers']): void {
  requireOwnOrigin({
    ...(origin !== undefined && { origin: [origin] }),
    ...(site !== undefined && { 'sec-fetch-site': [site] }),
  });
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return;
  throw new ServiceError('unsupported_media_type', { detail: 'Send the form of the page.' });
}

function isFormOf(form: URLSearchParams, { uid }: AskedFor, { member, sessionToken }: SignedIn): boolean {
  return form.get('orgid') === member.orgid && isFormToken(form.get('token') ?? '', { uid, sessionToken });
}

const otherSession = () =>
  new ServiceError('cross_site_request', {
    detail: 'The form was made for another session. Go back to the page, reload it, and answer again.',
  });

const makeGrant = (
  { clientId, clientName, resource, scopes }: AskedFor,
  { userid, orgid }: Member,
  workspaces: StoredGrant['workspaces'],
  at: string,
): StoredGrant => ({
  grantid: newToken(),
  userid,
  orgid,
  workspaces,
  clientid: clientId,
  ...(clientName !== undefined && { client_name: clientName }),
  scopes: [...scopes],
  resource,
  created_at: at,
  expires_at: new Date(Date.parse(at) + grantSeconds * 1_000).toISOString(),
});

async function finish(
  { at, requestId: requestid }: OAuthRequest,
  asked: AskedFor,
  { member: { userid: caller, orgid }, since }: SignedIn,
  grant: StoredGrant | undefined,
): Promise<PageAnswer> {
  const path = `/oauth/authorize/${asked.uid}`;
  const consent = { uid: asked.uid, grant, signedInAt: since };
  const { location, isTooLate } = await runProvider({ method: 'GET', path, consent });
  if (isTooLate || location === undefined)
    throw new ServiceError('authorization_answered', { detail: 'It is answered once.' });
  const operation = grant ? 'oauth/allow' : 'oauth/refuse';
  printRecord({
    at,
    requestid,
    operation,
    caller,
    orgid,
    ...(grant && { resource: grant.grantid }),
    status: 200,
  });
  return showAnswered(asked, location);
}
