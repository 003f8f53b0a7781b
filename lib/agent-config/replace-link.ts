// New links for who has one: after a value was stored while others are still missing, and in place of one that has
// expired, which can be replaced once, within a day, and only some times for each task.
import { ServiceError } from '#lib/errors.ts';
import { newPayloadId } from '#lib/ids.ts';
import { linkExpiry, makeLink } from '#lib/run/configuration-link.ts';
import { type OpenedLink, spendableUntil } from './open-link.ts';
import { countReplaced, spendLink } from './spent-link-items.ts';

const replacedMax = 5;

export async function replaceExpired(link: OpenedLink, nowMs: number): Promise<string> {
  const { run, claims, hash } = link;
  const spent = { run_id: run.run_id, hash, ttl: spendableUntil(claims) };
  if (!(await spendLink(spent)))
    throw new ServiceError('configuration_link_used', {
      detail: 'It was replaced by a new one before. Ask the agent for another link.',
    });
  if (!(await countReplaced(spent, replacedMax)))
    throw new ServiceError('configuration_link_expired', {
      detail: 'The links of this task were replaced too often. Ask the agent for a new one.',
    });
  return await makeNextLink(link, nowMs);
}

/** With the rights of the link that it follows. */
export const makeNextLink = async ({ run, claims }: OpenedLink, nowMs: number): Promise<string> =>
  await makeLink(run, {
    expiresAt: linkExpiry(nowMs),
    isForWorkspace: claims.isForWorkspace,
    nonce: newPayloadId().toLowerCase(),
  });
