// The handler of Agent Cards. It uses the same access rule as the agents, without loading the engine.
import { requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import { catalogLink } from '#lib/discovery/catalog-link.ts';
import type { Answer } from '#lib/http/answer.ts';
import { notModified } from '#lib/http/conditional.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import type { Request } from '#lib/http/request.ts';
import { toLegacyCard } from '#lib/registry/legacy-card.ts';
import { hostedUrl, readCard } from '#lib/registry/published-card.ts';
import type { Status, StoredRow } from '#lib/registry/row/stored-row.ts';

/** Finds the agent that a path names. */
type FindAgent<P> = (params: P) => Promise<StoredRow | undefined>;

/**
 * The agent's signed card, for callers whom its visibility admits; a public agent's card needs no credential.
 * The status selects the card with the URL, and so the signature, of the address that was requested.
 */
export const createCardHandler =
  <P>(findAgent: FindAgent<P>, selectStatus: (row: StoredRow) => Status) =>
  async (request: Request<P>): Promise<Answer<never>> => {
    const row = requireRegistryAccess(
      await findAgent(request.params),
      request.isAnonymous ? undefined : request.caller,
    );
    const status = selectStatus(row);
    const isLegacy = request.address === 'v0.3';
    const headers = cacheHeaders(row, isLegacy ? `${status}-v0.3` : status);
    const card = readCard(row, status);
    const text = JSON.stringify(isLegacy ? toLegacyCard(card, `${hostedUrl(row, status)}v0.3`) : card);
    return notModified(request.headers, headers) ?? { text, contentType: 'application/json', headers };
  };

const cacheHeaders = (row: StoredRow, form: string): Record<string, string> => ({
  // Contains the id, because the live URL leads to another build after each promotion.
  etag: `"${row.a2aregistryid}-${row.version}-${form}"`,
  'last-modified': new Date(row.updated_at).toUTCString(),
  'cache-control': `${row.visibility === 'public' ? 'public' : 'private'}, max-age=60`,
  // What everybody may read, every page may read.
  ...(row.visibility === 'public' && { ...anyOrigin, ...catalogLink() }),
});
