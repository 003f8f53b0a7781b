// The frame around every page of the site: the table of contents, the search, and the sections of the page. Nothing is
// loaded from anywhere else, and there is no inline script or style.
import { escapeMarkup } from '#lib/escape-markup.ts';
import { relativeAddress, toAddress } from './addresses.ts';

export interface NavigationSection {
  readonly title: string;
  readonly isFolded: boolean;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

export interface Framed {
  /** Of the page in the site. */
  readonly address: string;
  readonly title: string;
  /** HTML. */
  readonly content: string;
  readonly parts: readonly { readonly anchor: string; readonly title: string }[];
  readonly navigation: readonly NavigationSection[];
}

/** Static hosts send no headers; the local host sends a stricter policy besides. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

export function frame({ address, title, content, parts, navigation }: Framed): string {
  const to = (target: string) => escapeMarkup(relativeAddress(address, target));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeMarkup(contentSecurityPolicy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)} · Agent Flow Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('assets/tokens.css')}">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script type="module" src="${to('assets/search.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${to('index.html')}">Agent Flow Service</a>
<div class="search" id="search" data-index="${to('search.json')}" hidden>
<label for="query">Search the documentation</label>
<input id="query" type="search" placeholder="Search (press /)" autocomplete="off" spellcheck="false" maxlength="100">
<div id="results" role="region" aria-label="Results" aria-live="polite" hidden></div>
</div>
</header>
<div class="columns">
<nav aria-label="Pages">
${navigation.map((section) => showSection(section, address)).join('\n')}
</nav>
<main id="content">
${content}
</main>
${parts.length > 1 ? showParts(parts) : ''}
</div>
</body>
</html>
`;
}

function showSection({ title, isFolded, pages }: NavigationSection, address: string): string {
  const isOpen = !isFolded || pages.some(({ path }) => toAddress(path) === address);
  const links = pages.map((page) => showLink(page, address)).join('');
  return `<details${isOpen ? ' open' : ''}><summary>${escapeMarkup(title)}</summary><ul>${links}</ul></details>`;
}

function showLink({ path, title }: NavigationSection['pages'][number], address: string): string {
  const own = toAddress(path);
  const current = own === address ? ' aria-current="page"' : '';
  return `<li><a href="${escapeMarkup(relativeAddress(address, own))}"${current}>${escapeMarkup(title)}</a></li>`;
}

const showParts = (parts: Framed['parts']): string =>
  `<aside aria-label="On this page"><ul>${parts
    .map(({ anchor, title }) => `<li><a href="#${escapeMarkup(anchor)}">${escapeMarkup(title)}</a></li>`)
    .join('')}</ul></aside>`;
