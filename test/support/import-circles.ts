// Finds files, and folders, that import one another in a circle, by value or by type.
import { posix } from 'node:path';
import type { SourceFile } from './architecture.ts';
import { resolveImport } from './architecture.ts';
import { listImports } from './source-text.ts';

const { dirname } = posix;

/** Each circle as its sorted paths. Strongly connected components, after Tarjan. */
export function importCircles(files: readonly SourceFile[]): string[][] {
  const paths = new Set(files.map(({ path }) => path));
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      listImports(text)
        .map((specifier) => resolveImport(path, specifier))
        .filter((target) => paths.has(target)),
    ]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    lowest.set(path, own);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      const reached = order.has(target)
        ? open.includes(target)
          ? order.get(target)
          : undefined
        : visit(target);
      lowest.set(path, Math.min(lowest.get(path) ?? own, reached ?? own));
    }
    const low = lowest.get(path) ?? own;
    if (low === own) {
      const members = open.splice(open.indexOf(path));
      if (members.length > 1) circles.push(members.sort());
    }
    return low;
  };
  for (const path of paths) if (!order.has(path)) visit(path);
  return circles;
}

/** Two folders of which each imports the other, as `a <-> b`. */
export function mutualFolders(files: readonly SourceFile[]): string[] {
  const imports = new Set(
    files.flatMap(({ path, text }) =>
      listImports(text).map((specifier) => `${dirname(path)} ${dirname(resolveImport(path, specifier))}`),
    ),
  );
  return [...imports].flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return from < to && imports.has(`${to} ${from}`) ? [`${from} <-> ${to}`] : [];
  });
}
