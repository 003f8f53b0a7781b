// Where the site has a file of the repository: pages as HTML, pictures and JSON as they are, source files as pages that
// show them, and folders as lists.
import { posix } from 'node:path';

export const isPage = (path: string): boolean => path.endsWith('.md');

/** Browsers show these by themselves. */
export const isKept = (path: string): boolean => /\.(svg|png|json)$/.test(path);

/** `isFolder` is for paths without an ending. */
export function toAddress(path: string, isFolder = false): string {
  if (path === 'README.md') return 'index.html';
  const inDocs = path.startsWith('docs/') ? path.slice('docs/'.length) : undefined;
  if (isFolder) return `${inDocs ?? `source/${path}`}/index.html`;
  if (isPage(path)) return (inDocs ?? `project/${path.toLowerCase()}`).replace(/\.md$/, '.html');
  if (isKept(path)) return inDocs ?? `source/${path}`;
  return `source/${path}.html`;
}

/** From one address of the site to another, so that the site works below any path. */
export const relativeAddress = (from: string, to: string): string =>
  posix.relative(posix.dirname(from), to) || posix.basename(to);
