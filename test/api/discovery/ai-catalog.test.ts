// The tenant of the tests publishes its catalog as `agents.example`. Agents of other tests are in it too.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeCatalog } from '#lib/discovery/ai-catalog.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const catalogType = 'application/ai-catalog+json';
const read = async (query: Readonly<Record<string, string>> = {}) => await call('getAiCatalog', { query });
const live = async (caller: TestCaller, some: object) =>
  await promoted(caller, await newRow(caller, { flowid: unique('flow'), visibility: 'public', ...some }));

type Entry = Awaited<ReturnType<typeof read>>['body']['entries'][number];

/** All agents of the catalog, as a crawler finds them: it follows the catalogs that a catalog lists. */
async function crawl(): Promise<Entry[]> {
  const { entries } = (await read()).body;
  const found: Entry[] = [];
  for (const entry of entries) {
    if (entry.type !== catalogType) found.push(entry);
    else found.push(...((await (await fetch(entry.url)).json()) as { entries: Entry[] }).entries);
  }
  return found;
}
const find = async ({ card_url }: { readonly card_url: string }): Promise<Entry | undefined> =>
  (await crawl()).find(({ url }) => url === card_url);
/** The address of the live card, which the row shows once it is live. */
const row = async (caller: TestCaller, { a2aregistryid }: { readonly a2aregistryid: string }) =>
  (await call('getRegistryRow', { key: caller.key, params: { a2aregistryid } })).body;

describe('200', () => {
  test('is a catalog of the publisher, which pages of all origins may read and keep for five minutes', async () => {
    const { body, headers } = await read();
    expect(body).toMatchObject({
      specVersion: '1.0',
      host: { displayName: 'Example', identifier: 'agents.example' },
    });
    expect(headers.get('content-type')).toBe(catalogType);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  test('anybody finds a live public agent, and its card where the entry says', async () => {
    const caller = await newCaller();
    const skill = {
      id: 's',
      name: 'Skill',
      description: 'Does it.',
      tags: [],
      examples: ['Do it.', 'Do that.'],
    };
    const agent_card = card({
      name: 'Helper',
      description: 'd'.repeat(600),
      tags: ['help'],
      skills: [skill],
    });
    const made = await row(caller, await live(caller, { agent_card }));
    const entry = await find(made);
    expect(entry).toEqual({
      identifier: `urn:air:agents.example:agent:${made.flowid}`,
      displayName: 'Helper',
      type: 'application/a2a-agent-card+json',
      url: made.card_url,
      description: 'd'.repeat(500),
      version: made.agent_card.version,
      updatedAt: made.updated_at,
      tags: made.tags,
      representativeQueries: ['Do it.', 'Do that.'],
    });
    const served = await fetch(entry?.url ?? '');
    expect(await served.json()).toMatchObject({ name: 'Helper' });
    expect(served.headers.get('link')).toBe(
      `<${serviceUrl()}/.well-known/ai-catalog.json>; rel="ai-catalog"`,
    );
  });

  test('an agent of another organisation with the same flowid has an identifier of its own', async () => {
    const [owner, other] = [await newCaller(), await newCaller()];
    const flowid = unique('flow');
    const first = await row(owner, await live(owner, { flowid }));
    const second = await row(other, await live(other, { flowid }));
    expect((await find(first))?.identifier).toBe(`urn:air:agents.example:agent:${flowid}`);
    expect((await find(second))?.identifier).toBe(`urn:air:agents.example:agent:${second.a2aregistryid}`);
  });

  test('no agent of an organisation alone, and no build that is not live, is listed, nor linked to', async () => {
    const caller = await newCaller();
    const closed = await row(caller, await live(caller, { visibility: 'organization' }));
    const build = await newRow(caller, { flowid: unique('flow'), visibility: 'public' });
    const urls = (await crawl()).map(({ url }) => url);
    expect(urls).not.toContain(closed.card_url);
    expect(JSON.stringify(urls)).not.toContain(build.a2aregistryid);
    expect(JSON.stringify(urls)).not.toContain(build.flowid);
    const served = await fetch(closed.card_url, { headers: { 'x-api-key': caller.key } });
    expect(served.status).toBe(200);
    expect(served.headers.get('link')).toBeNull();
  });

  test('a promotion replaces the entry of the flow at once', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    await live(caller, { flowid, agent_card: card({ name: 'Before' }) });
    await crawl();
    const made = await row(caller, await live(caller, { flowid, agent_card: card({ name: 'After' }) }));
    const names = (await crawl())
      .filter(({ url }) => url === made.card_url)
      .map(({ displayName }) => displayName);
    expect(names).toEqual(['After']);
  });
});

describe('304', () => {
  test('for who has the catalog already', async () => {
    const known = (await read()).headers.get('etag') ?? '';
    const { status, headers } = await call('getAiCatalog', { headers: { 'if-none-match': known } });
    // Other tests may promote an agent in between.
    if (status === 200) expect(headers.get('etag')).not.toBe(known);
    else expect(status).toBe(304);
    expect(known).toMatch(/^"[\w-]{22}"$/);
  });
});

describe('400', () => {
  test.each(['0', '201', '-1', 'x', ''])('a page that is no number from 1 to 200: %j', async (page) => {
    const { status, problem } = await read({ page });
    expect(status).toBe(400);
    expect(problem.errors).toEqual([{ pointer: '/query/page', detail: 'must be a number from 1 to 200' }]);
  });
});

describe('404', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('route_not_found for a page that the catalog does not list, as the gateway answers', async () => {
    const [missing, unknown] = [await read({ page: '200' }), await fetch(`${serviceUrl()}/no/such/route`)];
    const { instance: _, ...problem } = (await unknown.json()) as Record<string, unknown>;
    expect(missing.status).toBe(404);
    expect(missing.problem).toMatchObject(problem);
  });

  test('route_not_found where the tenant publishes no catalog', async () => {
    vi.stubEnv('CATALOG_PUBLISHER', '');
    await expect(describeCatalog(undefined, new Date().toISOString())).rejects.toMatchObject({
      code: 'route_not_found',
    });
  });
});
