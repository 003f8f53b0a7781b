// Discovery: finding an agent by what it can do.
import * as z from 'zod';
import { oneToFifty, oneToTwoHundred, pageCursor, words } from '#lib/http/parameters.ts';
import { route } from '#lib/http/route.ts';
import { flowid, orgid, registryId } from '#lib/ids.ts';
import { agentCard } from '#lib/registry/row/agent-card.ts';
import { status, visibility } from '#lib/registry/row/stored-row.ts';

const repeatable = (description: string) =>
  z.array(words(127)).min(1).max(20).optional().meta({ description });

const catalogEntry = z
  .looseObject({
    identifier: z.string(),
    displayName: z.string(),
    type: z.string().meta({ description: 'The media type of what the URL leads to.' }),
    url: z.string(),
    description: z.string().optional(),
    version: z.string().optional(),
    updatedAt: z.string().optional(),
    tags: z.array(z.string()).optional(),
    representativeQueries: z.array(z.string()).optional(),
  })
  .meta({ id: 'AiCatalogEntry' });

export const discoveryRoutes = {
  getAiCatalog: route({
    method: 'GET',
    path: '/.well-known/ai-catalog.json',
    entry: 'discovery/ai-catalog',
    tag: 'Registry',
    summary: 'The live public agents of the tenant, as an AI Catalog',
    description:
      'Open to all, if the tenant publishes it. At most 50 agents; where there are more, the entries are catalogs of ' +
      '50 agents each, of the newest 10,000. Follow their URLs.',
    credentials: [],
    query: z.strictObject({
      page: oneToTwoHundred
        .optional()
        .meta({ description: 'One of the catalogs that the answer without it lists.' }),
    }),
    requestHeaders: ['If-None-Match'],
    crossOrigin: 'all',
    response: {
      status: 200,
      description: 'The catalog.',
      contentType: 'application/ai-catalog+json',
      schema: z
        .strictObject({
          specVersion: z.literal('1.0'),
          host: z.strictObject({ displayName: z.string(), identifier: z.string() }),
          entries: z.array(catalogEntry),
        })
        .meta({ id: 'AiCatalog' }),
    },
    errors: ['route_not_found'],
    uses: ['control.read', 'catalog.publish'],
    timeout: 'quick',
    transfer: 'buffered',
  }),
  searchRegistry: route({
    method: 'GET',
    path: '/api/v1/a2a-registry/search',
    otherMethods: 'byFunction',
    entry: 'discovery/search',
    auditName: 'registry/search',
    tag: 'Registry',
    summary: 'Find agents by what they can do',
    description:
      'Best first, by name, tags, skills and description; without `q` all that fit, newest first. Finds the live public agents of the ' +
      'tenant and the live agents of your organisation; with `status=test`, the builds of your ' +
      'workspaces that are not live. Values of one filter are alternatives, filters combine.',
    credentials: ['apiKey', 'bearer', 'session'],
    permission: 'assistants.flows:read',
    // Who may call agents may find them: a card is open to whoever may call its agent, anyway.
    orPermission: 'assistants.flows:run',
    query: z.strictObject({
      q: words(500).optional().meta({
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
