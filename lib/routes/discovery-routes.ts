// Discovery: finding an agent by what it can do.
import * as z from 'zod';
import { oneToFifty, pageCursor, words } from '#lib/http/parameters.ts';
import { route } from '#lib/http/route.ts';
import { flowid, orgid, registryId } from '#lib/ids.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';
import { status, visibility } from '#lib/registry/row/stored-row.ts';

const repeatable = (description: string) =>
  z.array(words(127)).min(1).max(20).optional().meta({ description });

export const discoveryRoutes = {
  searchRegistry: route({
    method: 'GET',
    path: '/api/v1/a2a-registry/search',
    entry: 'discovery/search',
    auditName: 'registry/search',
    tag: 'Registry',
    summary: 'Find agents by what they can do',
    description:
      'Best first, by name, tags, skills and description. Finds the live public agents of the ' +
      'tenant and the live agents of your organisation; with `status=test`, the builds of your ' +
      'workspaces that are not live. Values of one filter are alternatives, filters combine.',
    credentials: ['apiKey', 'bearer'],
    permission: 'assistants.flows:read',
    query: z.strictObject({
      q: words(500).meta({
        description: 'The query, in natural language.',
        example: 'where is my order',
      }),
      tag: repeatable('Only agents with this tag, or one of these.'),
      input_mode: repeatable('Only agents that take this MIME type.'),
      output_mode: repeatable('Only agents that answer in this MIME type.'),
      status: status.optional().meta({ description: 'Default: live.' }),
      limit: oneToFifty.optional().meta({ description: 'Agents per page, 1 to 50; default 10.' }),
      cursor: pageCursor,
    }),
    response: {
      status: 200,
      description: 'The best agents; none when no word of the query is known.',
      schema: z
        .strictObject({
          items: z.array(
            z
              .strictObject({
                score: z.number().meta({ description: 'Higher is better, within one answer.' }),
                a2aregistryid: registryId,
                flowid,
                orgid,
                status,
                visibility,
                agent_card: agentCard,
                tags: z.array(z.string()),
                hosted_url: z.string(),
                card_url: z.string(),
              })
              .meta({ id: 'FoundAgent' }),
          ),
          nextCursor: z.string().optional(),
        })
        .meta({ id: 'SearchPage' }),
    },
    errors: [],
    uses: ['signingKey.publicKey', 'control.read'],
    timeout: 'quick',
    transfer: 'buffered',
  }),
} as const;
