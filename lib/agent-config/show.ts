// The page that a link opens. It has no effect: scanners of mails open links before people do.
import type { Request } from '#lib/http/request.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import type { PageAnswer } from '#lib/page/page.ts';
import { makeLinkUrl } from '#lib/run/configuration-link.ts';
import { statusAt } from '#lib/run/state.ts';
import { describeAgent, describePrincipal } from './describe-agent.ts';
import { chooseCurrent, findWanted, type OpenedLink, openLink } from './open-link.ts';
import { type FormView, showExpired, showForm, showNoLink, showOthersMustStore, showState } from './views.ts';

interface LinkQuery {
  readonly task_id?: string | undefined;
  readonly token?: string | undefined;
}

export async function showPage({ query, sourceIp, at }: Request<unknown, LinkQuery>): Promise<PageAnswer> {
  const nowMs = Date.parse(at);
  await requireAddressQuota(sourceIp, nowMs);
  const { task_id: taskId, token } = query;
  if (taskId === undefined || token === undefined) return showNoLink();
  return await showLink(await openLink({ taskId, token }, nowMs), nowMs);
}

/** `sent` is a form with mistakes, which is shown again with them. */
export async function showLink(
  link: OpenedLink,
  nowMs: number,
  sent?: FormView['sent'],
): Promise<PageAnswer> {
  if (link.state === 'used') return await showLinkState(link, nowMs, 200);
  const wanted = await findWanted(link);
  const agent = await describeAgent(link.run);
  if (wanted.length === 0) return await showLinkState(link, nowMs, 200);
  if (link.state === 'expired') return showExpired(agent, link);
  const current = chooseCurrent(wanted);
  if (!current) return showOthersMustStore(agent, wanted, makeLinkUrl(link.run, link.token));
  const principal = await describePrincipal(link.run);
  return showForm({ link, agent, principal, wanted, current, ...(sent && { sent }) });
}

/** How the task gets on. 409 for a form that came too late. */
export async function showLinkState(
  link: OpenedLink,
  nowMs: number,
  httpStatus: 200 | 409,
): Promise<PageAnswer> {
  const [agent, wanted] = await Promise.all([describeAgent(link.run), findWanted(link)]);
  return showState({
    agent,
    wanted,
    httpStatus,
    status: statusAt(nowMs, link.run),
    address: makeLinkUrl(link.run, link.token),
    isUsed: link.state === 'used',
  });
}
