// What follows when a value is there: it is stored, and the browser gets the page for what comes next.
import type { ConnectionBody } from '#lib/connection/connection.ts';
import type { Request } from '#lib/http/request.ts';
import { type PageAnswer, seeOther } from '#lib/page/page.ts';
import { makeLinkUrl } from '#lib/run/configuration-link.ts';
import type { OpenedLink, WantedConnection } from './open-link.ts';
import { makeNextLink } from './replace-link.ts';
import { resumeIfComplete } from './resume.ts';
import { showLinkState } from './show.ts';
import { storeValue } from './store-value.ts';

interface Value {
  readonly wanted: readonly WantedConnection[];
  readonly current: WantedConnection;
  readonly body: ConnectionBody;
}

export async function storeAndContinue(
  request: Pick<Request, 'requestId' | 'at'>,
  link: OpenedLink,
  { wanted, current, body }: Value,
): Promise<PageAnswer> {
  const nowMs = Date.parse(request.at);
  const outcome = await storeValue(link, current, body, request);
  if (outcome === 'used') return await refuseUsed(link, nowMs);
  const isMore = wanted.some(({ isStorable, name }) => isStorable && name !== current.name);
  return seeOther(isMore ? await makeNextLink(link, nowMs) : makeLinkUrl(link.run, link.token));
}

/** Whoever sends the form again after a failure has the run resumed that the first one could not resume. */
export async function refuseUsed(link: OpenedLink, nowMs: number): Promise<PageAnswer> {
  await resumeIfComplete(link);
  return await showLinkState({ ...link, state: 'used' }, nowMs, 409);
}
