// Finds agents of this service for flows, by the same rule as the search of the registry, for the
// organisation and workspace of the flow. The search is loaded with the first query.
import * as z from 'zod';
import type { ConnectionOwner } from '#lib/connection/connection.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { DiscoverPort, FoundAgent } from '#lib/flow/ports/agent.ts';

/** The members of a stored card that are shown. */
const named = /* @__PURE__ */ z.lazy(() => z.object({ name: z.string(), description: z.string() }));

export const createDiscoverPort =
  ({ orgid, workspaceid, user }: ConnectionOwner): DiscoverPort =>
  async ({ q, status, visibility, tags, input_modes, output_modes }) => {
    const reader = { id: user, orgid, workspaces: new Set([workspaceid]), scopes: new Set<never>() };
    const query = {
      q,
      status,
      visibility,
      tag: tags,
      input_mode: input_modes,
      output_mode: output_modes,
      limit: limits.foundAgentsMax,
    };
    const { search } = await import('#lib/discovery/search.ts');
    const { hits } = await search(reader, query);
    return hits.map(({ row }): FoundAgent => {
      const { name, description } = named.parse(JSON.parse(row.card));
      return { agent: row.a2aregistryid, name, description };
    });
  };
