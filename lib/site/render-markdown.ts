// Renders a page of the documentation: its HTML without the frame, its sections for the search, and which files of the
// repository it links to.
import { posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { relativeAddress, toAddress } from './addresses.ts';

export interface SiteSection {
  /** Empty for what is above the first heading. */
  readonly anchor: string;
  readonly level: number;
  readonly title: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly SiteSection[];
  /** Paths in the repository that it links to, its pictures included. */
  readonly linked: readonly string[];
}

/** `html`: the pages are those of the repository and have tags such as `<kbd>`. */
const markdown = new MarkdownIt({ html: true });

/** `isFolder` says whether a path of the repository is a folder. */
export function renderMarkdown(
  path: string,
  text: string,
  isFolder: (path: string) => boolean,
): RenderedPage {
  const tokens = markdown.parse(text, {});
  const linked = new Set<string>();
  const toSite = (target: string): string => {
    if (target.startsWith('#') || /^[a-z]+:/.test(target)) return target;
    const [file = '', anchor] = target.split('#');
    const found = posix.join(posix.dirname(path), decodeURI(file)).replace(/\/$/, '');
    linked.add(found);
    const address = relativeAddress(toAddress(path), toAddress(found, isFolder(found)));
    return anchor === undefined ? address : `${address}#${anchor}`;
  };
  for (const token of tokens.flatMap((each) => [each, ...(each.children ?? [])])) {
    rewrite(token, 'href', toSite);
    rewrite(token, 'src', toSite);
    alignByClass(token);
  }
  addAnchors(tokens);
  const sections = listSections(tokens);
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title: sections.find(({ title }) => title)?.title ?? path, html, sections, linked: [...linked] };
}

function rewrite(token: Token, attribute: string, change: (value: string) => string): void {
  const value = token.attrGet(attribute);
  if (value !== null) token.attrSet(attribute, change(String(value)));
}

/** The policy of the site allows no `style` attributes, by which the columns of tables are aligned. */
function alignByClass(token: Token): void {
  const align = /^text-align:(\w+)$/.exec(String(token.attrGet('style')))?.[1];
  if (align !== undefined) token.attrs = [['class', align]];
}

/** The same names as GitHub gives headings: lower case, no punctuation, hyphens for spaces, a number for a repeated one. */
function addAnchors(tokens: readonly Token[]): void {
  const counts = new Map<string, number>();
  for (const [n, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const name = (tokens[n + 1]?.content ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    token.attrSet('id', count === 0 ? name : `${name}-${count}`);
  }
}

function listSections(tokens: readonly Token[]): SiteSection[] {
  const sections: SiteSection[] = [{ anchor: '', level: 1, title: '', text: '' }];
  for (const [n, token] of tokens.entries()) {
    const isHeading = tokens[n - 1]?.type === 'heading_open';
    const text = token.children?.map(toText).join('') ?? (token.type === 'fence' ? token.content : '');
    const last = sections.at(-1);
    if (isHeading) {
      const anchor = String(tokens[n - 1]?.attrGet('id'));
      sections.push({ anchor, level: Number(tokens[n - 1]?.tag.slice(1)), title: text, text: '' });
    } else if (last && text) sections[sections.length - 1] = { ...last, text: `${last.text} ${text}`.trim() };
  }
  return sections.filter(({ title, text }) => title || text);
}

const toText = ({ type, content }: Token): string =>
  type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : '';
