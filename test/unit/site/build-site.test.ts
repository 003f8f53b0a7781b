// The documentation as a static site: every page is in it, every link leads somewhere, and the search finds sections.

import { globSync } from 'node:fs';
import { posix } from 'node:path';
import MiniSearch from 'minisearch';
import { beforeAll, describe, expect, test } from 'vitest';
import { toAddress } from '#lib/site/addresses.ts';
import { buildSite, type SearchEntry, type Site } from '#lib/site/build-site.ts';
import { renderMarkdown } from '#lib/site/render-markdown.ts';

let site: Site;
let pages: [address: string, text: string][];
beforeAll(async () => {
  site = await buildSite();
  pages = [...site]
    .filter(([address]) => address.endsWith('.html'))
    .map(([at, bytes]) => [at, String(bytes)]);
});

const findAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

describe('the site', () => {
  test('lists every page of the repository in its table of contents, once', () => {
    const paths = globSync(['*.md', 'docs/**/*.md'], { cwd: new URL('../../..', import.meta.url) });
    const [navigation = ''] = findAll(String(site.get('index.html')), /<nav [^>]*>(.*?)<\/nav>/gs);
    expect(findAll(navigation, /href="([^"]+)"/g).sort()).toEqual(
      paths.map((path) => toAddress(path)).sort(),
    );
  });

  test('has no link and no picture that leads nowhere', () => {
    const ids = new Map(pages.map(([at, text]) => [at, new Set(findAll(text, / id="([^"]+)"/g))]));
    const broken = pages.flatMap(([at, text]) =>
      findAll(text, / (?:href|src|data-index)="([^"]+)"/g)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#');
          const found = file === '' ? at : posix.join(posix.dirname(at), file);
          const hasAnchor = anchor === undefined || ids.get(found)?.has(decodeURIComponent(anchor));
          return !site.has(found) || !hasAnchor;
        })
        .map((target) => `${at}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('has pictures, and no source of a picture that only another program would draw', () => {
    const drawn = /class="language-(mermaid|dot|plantuml)"/;
    expect(pages.filter(([, text]) => drawn.test(text)).map(([at]) => at)).toEqual([]);
    expect(String(site.get('threat-model.html'))).toContain('src="pictures/trust-boundaries.svg"');
  });

  test('needs nothing that its policy forbids: no inline script, style or handler', () => {
    const [, main] = pages.find(([at]) => at === 'flows.html') ?? [];
    expect(main).toContain('http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;');
    const inline = / style="| on[a-z]+="|<style|<script(?! type="module" src=)|javascript:/;
    const shown = pages.map(([at, text]) => [at, text.replace(/<pre>.*?<\/pre>/gs, '')] as const);
    expect(shown.filter(([, text]) => inline.test(text)).map(([at]) => at)).toEqual([]);
  });

  test.each([
    ['signing secret', 'api-guide.html'],
    ['ollama', 'local.html'],
    ['rollbck', 'api-guide.html'],
    ['dead letters', 'api-guide.html'],
    ['conn hosts', 'flows.html'],
    ['how do I use my own model', 'local.html'],
    ['exit codes', 'cli.html'],
  ])('finds %s in %s, among the first results', async (query, page) => {
    const { findSections, searchOptions } = await import(
      new URL('../../../lib/site/assets/search-options.js', import.meta.url).href
    );
    const search = new MiniSearch<SearchEntry>(searchOptions);
    search.addAll(JSON.parse(String(site.get('search.json'))));
    const found: { id: string }[] = findSections(search, query).slice(0, 12);
    expect(found.map(({ id }) => id.split('#')[0])).toContain(page);
  });

  test('finds no other word that looks alike', async () => {
    const { searchOptions } = await import(
      new URL('../../../lib/site/assets/search-options.js', import.meta.url).href
    );
    const search = new MiniSearch<SearchEntry>(searchOptions);
    search.addAll([{ id: 'a', title: 'Get a callback', page: '', text: '' }]);
    expect([search.search('rollback'), search.search('calback').length]).toEqual([[], 1]);
  });
});

test('headings have the names that GitHub gives them, also when one is repeated', () => {
  const { html, sections } = renderMarkdown(
    'docs/a.md',
    '# A `b`, c!\n\n## X\n\none\n\n## X\n\ntwo',
    () => false,
  );
  expect(findAll(html, / id="([^"]+)"/g)).toEqual(['a-b-c', 'x', 'x-1']);
  expect(sections.map(({ anchor, text }) => [anchor, text])).toEqual([
    ['a-b-c', ''],
    ['x', 'one'],
    ['x-1', 'two'],
  ]);
});
