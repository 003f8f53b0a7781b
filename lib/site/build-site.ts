// Builds the documentation as a static site, in memory: the pages of the repository, the pictures and source files that
// they link to, and what the search needs.
import { globSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeMarkup } from '#lib/escape-markup.ts';
import { root } from '#lib/infra/bundle-folder.ts';
import { isKept, isPage, relativeAddress, toAddress } from './addresses.ts';
import { sections } from './contents.ts';
import { frame, type NavigationSection } from './layout.ts';
import { type RenderedPage, renderMarkdown } from './render-markdown.ts';

/** The content of each file, by its address in the site. */
export type Site = ReadonlyMap<string, Buffer>;

export async function buildSite(): Promise<Site> {
  const pages = await renderPages();
  const navigation = listNavigation(pages);
  const site = new Map<string, Buffer>(await readAssets());
  const add = (address: string, text: string) => void site.set(address, Buffer.from(text));
  for (const [path, page] of pages) {
    const address = toAddress(path);
    const parts = page.sections.filter(({ level, title }) => level === 2 && title !== '');
    add(address, frame({ address, title: page.title, content: page.html, parts, navigation }));
  }
  const linked = new Set([...pages.values()].flatMap((page) => page.linked));
  for (const path of await withFolderContents(linked)) {
    const isFolder = isFolderOf(path);
    const address = toAddress(path, isFolder);
    if (isKept(path)) site.set(address, await readFile(join(root, path)));
    else {
      const content = isFolder ? await showFolder(path, address) : await showSource(path);
      add(address, frame({ address, title: path, content, parts: [], navigation }));
    }
  }
  add('search.json', JSON.stringify(listSearchEntries(pages)));
  return site;
}

const isFolderOf = (path: string): boolean =>
  statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;

type Pages = ReadonlyMap<string, RenderedPage>;

async function renderPages(): Promise<Pages> {
  const pages = findFiles('*.md', 'docs/**/*.md').map(async (path): Promise<[string, RenderedPage]> => {
    const text = await readFile(join(root, path), 'utf8');
    return [path, renderMarkdown(path, text, isFolderOf)];
  });
  return new Map(await Promise.all(pages));
}

const findFiles = (...patterns: readonly string[]): string[] =>
  patterns.flatMap((each) => globSync(each, { cwd: root }).sort());

function listNavigation(pages: Pages): NavigationSection[] {
  const title = (path: string) => (path === 'README.md' ? 'Overview' : (pages.get(path)?.title ?? path));
  return sections.map(({ title: heading, pages: patterns, isFolded = false }) => ({
    title: heading,
    isFolded,
    pages: findFiles(...patterns).map((path) => ({ path, title: title(path) })),
  }));
}

/** Files that are linked, and the files of folders that are. Pages are there already. */
async function withFolderContents(linked: ReadonlySet<string>): Promise<string[]> {
  const inFolders = [...linked].filter(isFolderOf).map(listFiles);
  const all = new Set([...linked, ...(await Promise.all(inFolders)).flat()]);
  return [...all].filter((path) => !isPage(path)).sort();
}

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(join(root, folder), { withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ name }) => `${folder}/${name}`)
    .sort();

async function showFolder(path: string, address: string): Promise<string> {
  const files = await listFiles(path);
  const items = files.map((file) => {
    const href = escapeMarkup(relativeAddress(address, toAddress(file)));
    return `<li><a href="${href}">${escapeMarkup(file.slice(path.length + 1))}</a></li>`;
  });
  return `<h1><code>${escapeMarkup(path)}</code></h1><ul>${items.join('')}</ul>`;
}

async function showSource(path: string): Promise<string> {
  const text = await readFile(join(root, path), 'utf8');
  return `<h1><code>${escapeMarkup(path)}</code></h1><pre><code>${escapeMarkup(text)}</code></pre>`;
}

/** What the search of the site knows of a section; the short names keep the file small. */
export interface SearchEntry {
  /** The address. */
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const listSearchEntries = (pages: Pages): SearchEntry[] =>
  [...pages].flatMap(([path, { title: page, sections: parts }]) =>
    parts.map(({ anchor, title, text }) => {
      const id = anchor === '' ? toAddress(path) : `${toAddress(path)}#${anchor}`;
      return { id, page, title: title || page, text };
    }),
  );

async function readAssets(): Promise<[string, Buffer][]> {
  const files = {
    'assets/tokens.css': new URL('../console/styles/tokens.css', import.meta.url),
    'assets/site.css': new URL('assets/site.css', import.meta.url),
    'assets/search.js': new URL('assets/search.js', import.meta.url),
    'assets/search-options.js': new URL('assets/search-options.js', import.meta.url),
    'assets/minisearch.js': import.meta.resolve('minisearch'),
  };
  const read = Object.entries(files).map(async ([address, file]): Promise<[string, Buffer]> => {
    const text = await readFile(fileURLToPath(file), 'utf8');
    // Browsers know no packages by name, and an import map would be an inline script.
    return [address, Buffer.from(text.replace("from 'minisearch'", "from './minisearch.js'"))];
  });
  return await Promise.all(read);
}
