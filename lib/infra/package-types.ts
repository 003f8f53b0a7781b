// Makes the types that the compiler has written self-contained: only files that the entries reach, whose imports are
// relative. In this repository they are `#lib/…` and end in `.ts`.
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';

/** In `import … from '…'`, `export … from '…'` and `import("…")`. */
const ours = /(\bfrom |\bimport\()(["'])((?:#|\.\.?\/)[^"']+)\.ts\2/g;

/** The types by their path in the project. `sources` are the entries, such as `lib/package/engine.ts`. */
export async function collectTypes(
  folder: string,
  sources: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const open = new Set(sources.map((source) => source.replace(/\.ts$/, '')));
  const types = new Map<string, string>();
  for (const path of open) {
    const text = await readFile(posix.join(folder, `${path}.d.ts`), 'utf8');
    const relative = text.replaceAll(ours, (_all, keyword: string, quote: string, specifier: string) => {
      const target = resolveFrom(path, specifier);
      open.add(target);
      return `${keyword}${quote}${relativePath(path, target)}.js${quote}`;
    });
    types.set(`${path}.d.ts`, relative);
  }
  return types;
}

const resolveFrom = (path: string, specifier: string): string =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(path), specifier);

function relativePath(path: string, target: string): string {
  const relative = posix.relative(posix.dirname(path), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
}
