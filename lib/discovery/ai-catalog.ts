// The AI Catalog of a tenant (draft of the Agent Card working group, specVersion 1.0): its live public agents, for
// everybody. A document lists at most 50 agents; beyond that it lists catalogs of 50 agents each.
import { boundedMap } from '#lib/bounded-map.ts';
import { optionalEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { cardUrl, readCard } from '#lib/registry/card/published-card.ts';
import { readRows } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { truncate } from '#lib/truncate.ts';
import { catalogUrl } from './catalog-link.ts';
import { listPublicIds } from './public-agents.ts';

export const catalogType = 'application/ai-catalog+json';
export const pageSize = 50;
/** With the agents of all pages, 10,000: the newest ones. */
export const pagesMax = 200;

interface Publisher {
  readonly domain: string;
  readonly name: string;
}

interface Entry {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
  readonly url: string;
}

/** `page` is one of the catalogs that the first one lists; throws `route_not_found` for one that it does not list. */
export async function describeCatalog(page: number | undefined, at: string): Promise<string> {
  const publisher = readPublisher();
  const nowMs = Date.parse(at);
  const pages = paginate(await listPublicIds(pageSize * pagesMax, nowMs));
  if (page === undefined && pages.length > 1) return format(publisher, listPages(publisher, pages));
  const listed = pages[(page ?? 1) - 1];
  if (!listed) throw notFound();
  return await describePage(publisher, page ?? 1, listed, nowMs);
}

/** Where the tenant has no catalog, its route does not exist. */
function readPublisher(): Publisher {
  const domain = optionalEnv('CATALOG_PUBLISHER');
  if (domain === undefined) throw notFound();
  return { domain, name: optionalEnv('CATALOG_NAME') ?? domain };
}

const notFound = () =>
  new ServiceError('route_not_found', {
    detail: 'No route has this method and path; see /openapi.json.',
  });

/** Oldest first, so that a new agent moves no other one to another page. There is always a first page. */
export function paginate(ids: readonly string[]): string[][] {
  const sorted = ids.toSorted().slice(-pageSize * pagesMax);
  const count = Math.max(1, Math.ceil(sorted.length / pageSize));
  return Array.from({ length: count }, (_, n) => sorted.slice(n * pageSize, (n + 1) * pageSize));
}

const listPages = ({ domain, name }: Publisher, pages: readonly unknown[]): Entry[] =>
  pages.map((_, n) => ({
    identifier: `urn:air:${domain}:catalog:${n + 1}`,
    displayName: `${name}, agents, part ${n + 1} of ${pages.length}`,
    type: catalogType,
    url: `${catalogUrl()}?page=${n + 1}`,
  }));

const format = ({ domain, name }: Publisher, entries: readonly Entry[]): string =>
  JSON.stringify({ specVersion: '1.0', host: { displayName: name, identifier: domain }, entries });

interface Known {
  readonly ids: readonly string[];
  readonly text: string;
  readonly untilMs: number;
}

/** For a minute, or until an agent is promoted: nobody authenticates, so a request must not read 50 rows. */
const knownMs = 60_000;
const knownPages = boundedMap<number, Known>({ entriesMax: 20 });

async function describePage(
  publisher: Publisher,
  page: number,
  ids: readonly string[],
  nowMs: number,
): Promise<string> {
  if (ids.length === 0) return format(publisher, []);
  const known = knownPages.get(page);
  if (known && known.untilMs > nowMs && isSame(known.ids, ids)) return known.text;
  const rows = await readRows(ids);
  const entries = ids.flatMap((id) => describeAgent(publisher, rows.get(id)));
  const text = format(publisher, entries);
  knownPages.set(page, { ids, text, untilMs: nowMs + knownMs });
  return text;
}

const isSame = (known: readonly string[], ids: readonly string[]): boolean =>
  known.length === ids.length && known.every((id, n) => id === ids[n]);

const textMax = 500;
const queriesMax = 5;

/** None for an agent that has been deleted, demoted or made private. */
function describeAgent({ domain }: Publisher, row: StoredRow | undefined): Entry[] {
  if (row?.status !== 'live' || row.visibility !== 'public') return [];
  const { name, description, version, skills } = readCard(row);
  const queries = skills.flatMap(({ examples = [] }) => examples).slice(0, queriesMax);
  const entry = {
    // As the URL: only one workspace has the flowid in its address.
    identifier: `urn:air:${domain}:agent:${row.owns_live_url ? row.flowid : row.a2aregistryid}`,
    displayName: name,
    type: 'application/a2a-agent-card+json',
    url: cardUrl(row, 'live'),
    description: truncate(description, textMax),
    version,
    updatedAt: row.updated_at,
    ...(row.tags.length > 0 && { tags: row.tags }),
    // Agentic Resource Discovery asks for two at least.
    ...(queries.length > 1 && { representativeQueries: queries.map((query) => truncate(query, textMax)) }),
  };
  return [entry];
}
