// The handler of Agent Cards: the same access rule as in front of the agents, without their engine.
import { cardText } from '#lib/a2a/card.ts';
import { requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import type { Answer } from '#lib/http/answer.ts';
import { notModified } from '#lib/http/conditional.ts';
import type { Request } from '#lib/http/request.ts';
import type { Status, StoredRow } from '#lib/registry/stored-row.ts';

/** Finds the agent that a path names. */
type Find<P> = (params: P) => Promise<StoredRow | undefined>;

/** The agent's card, for callers whom its visibility admits; a public agent's is open to all. */
export const createCardHandler =
  <P>(find: Find<P>, statusOf: (row: StoredRow) => Status) =>
  async (request: Request<P>): Promise<Answer<never>> => {
    const row = requireRegistryAccess(
      await find(request.params),
      request.isAnonymous ? undefined : request.caller,
    );
    const { text, headers } = cardText(row, statusOf(row));
    return notModified(request.headers, headers) ?? { text, contentType: 'application/json', headers };
  };
