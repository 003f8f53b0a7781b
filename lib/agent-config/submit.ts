// The form of the page. What it does is done once for each link, by a condition of the write.
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireFormType } from '#lib/http/body-step.ts';
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { makeLinkUrl } from '#lib/run/configuration-link.ts';
import { connectAccount } from './connect.ts';
import { readConnection } from './fields.ts';
import { chooseCurrent, findWanted, type OpenedLink, openLink, requireLinkQuota } from './open-link.ts';
import { replaceExpired } from './replace-link.ts';
import { showLink } from './show.ts';
import { isSpent } from './spent-link-items.ts';
import { refuseUsed, storeAndContinue } from './store-and-continue.ts';

export async function submitPage(request: Request): Promise<PageAnswer> {
  const nowMs = Date.parse(request.at);
  requireFormType(request.headers['content-type']);
  requireSameOrigin(request.headers);
  await requireAddressQuota(request.sourceIp, nowMs);
  const form = new URLSearchParams(request.rawBody);
  const reference = { taskId: form.get('task_id') ?? '', token: form.get('token') ?? '' };
  const link = await openLink(reference, nowMs);
  await requireLinkQuota(link, nowMs);
  if (link.state === 'used') return await refuseUsed(link, nowMs);
  if (form.get('action') === 'replace' && link.state === 'expired')
    return seeOther(await replaceExpired(link, nowMs));
  if (link.state === 'expired') return await showLink(link, nowMs);
  return await submitValue(request, link, form);
}

async function submitValue(request: Request, link: OpenedLink, form: URLSearchParams): Promise<PageAnswer> {
  const nowMs = Date.parse(request.at);
  const wanted = await findWanted(link);
  const current = chooseCurrent(wanted);
  if (!current || current.name !== form.get('connection')) return await refuseOutdated(link, nowMs);
  if (current.type === 'oauth_user' && current.oauth)
    return await connectAccount(request, link, { ...current, oauth: current.oauth });
  const read = readConnection(current, form);
  if (!read.isValid) return await showLink(link, nowMs, { form, mistakes: read.mistakes });
  return await storeAndContinue(request, link, { wanted, current, body: read.body });
}

/**
 * The page was made for another connection, or the task does not wait any more: another request was first, with this
 * link or in another way. The page of the link says what is missing now.
 */
async function refuseOutdated(link: OpenedLink, nowMs: number): Promise<PageAnswer> {
  const { run, hash } = link;
  if (await isSpent({ run_id: run.run_id, hash })) return await refuseUsed(link, nowMs);
  return seeOther(makeLinkUrl(run, link.token));
}

/**
 * The token in the form is the guard against requests that other sites make a browser send; these headers are a
 * second one. With `Referrer-Policy: no-referrer` browsers send `Origin: null` from our own page.
 */
function requireSameOrigin(headers: Request['headers']): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOurs = origin === undefined || origin === new URL(requireEnv('GATEWAY_URL')).origin;
  const isFromOurPage = site === 'same-origin' && (isOurs || origin === 'null');
  if (isFromOurPage || (site === undefined && isOurs)) return;
  throw new ServiceError('cross_site_request', {
    detail: 'Open the link of the agent in this browser, and send the form of that page.',
  });
}
