// The first step of the build: esbuild reads the sources of all functions at once and writes them in chunks, one for
// each set of modules that the same functions reach. Parsing the AWS SDK once for each function would take most of
// the time.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { smallAi } from './bundle-ai.ts';
import { smallAws } from './bundle-aws.ts';
import { root } from './bundle-folder.ts';
import { smallMcp } from './bundle-mcp.ts';
import { isNodeModule, leanNode } from './bundle-node.ts';
import { smallOidc } from './bundle-oidc.ts';
import { forLambda } from './bundle-options.ts';
import { smallZod } from './bundle-zod.ts';

export interface Chunks {
  /** Where they are, all in one folder. */
  readonly folder: string;
  /** By the name of the file. */
  readonly outputs: ReadonlyMap<string, Metafile['outputs'][string]>;
  /** The SHA-256 digest of the contents of each chunk, by the name of the file. */
  readonly digests: ReadonlyMap<string, string>;
  /** All source files, relative to the project. */
  readonly sources: readonly string[];
}

const sourceFile = (entry: string): string => `functions/${entry}.ts`;
export const chunkName = (entry: string): string => `${entry.replaceAll('/', '.')}.mjs`;

/** The model client contains CommonJS that requires only Node's own modules. ES modules have no `require`. */
const requireForCommonJs = 'const require = (id) => process.getBuiltinModule(id);';

export const fromSources = {
  ...forLambda,
  // The ES modules of the AWS SDK instead of its CommonJS, because they are smaller.
  mainFields: ['module', 'main'],
  banner: { js: requireForCommonJs },
} as const satisfies BuildOptions;

export async function splitSources(
  entries: readonly string[],
  folder: string,
  more: BuildOptions = {},
): Promise<Chunks> {
  requireSources(entries);
  const { metafile } = await build({
    ...fromSources,
    // Minified white space would leave out `@__PURE__`, by which functions omit what only other functions use.
    minify: false,
    minifyIdentifiers: true,
    minifySyntax: true,
    entryPoints: entries.map((entry) => ({ in: sourceFile(entry), out: basename(chunkName(entry), '.mjs') })),
    outdir: folder,
    // Code that is imported with `import()` becomes a chunk of its own, which a cold start does not load.
    splitting: true,
    plugins: [leanNode, smallZod, smallMcp, smallOidc, smallAi, smallAws],
    ...more,
    metafile: true,
  });
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output] as const);
  const digests = outputs.map(
    async ([name]) => [name, hash('sha256', await readFile(join(folder, name)))] as const,
  );
  return {
    folder,
    outputs: new Map(outputs),
    digests: new Map(await Promise.all(digests)),
    sources: Object.keys(metafile.inputs).filter((input) => !isNodeModule(input)),
  };
}

function requireSources(entries: readonly string[]): void {
  const missing = entries.map(sourceFile).filter((file) => !existsSync(join(root, file)));
  if (missing.length === 0) return;
  throw new Error(
    `The route table and lib/routes/event-sources.ts name functions that have no file: ${missing.join(', ')}`,
  );
}

/** The names of the chunk of a function and of those that it imports, at once or on demand, in a fixed order. */
export function listReached({ outputs }: Chunks, entry: string): readonly string[] {
  const reached = new Set([chunkName(entry)]);
  for (const name of reached)
    for (const { path, external } of outputs.get(name)?.imports ?? [])
      if (!external) reached.add(basename(path));
  return [...reached];
}

/** The chunks of a cold start, by the name of the first: each after those that it imports. */
export function listInOrder({ outputs }: Chunks, chunk: string): readonly string[] {
  const seen = new Set<string>();
  const ordered: string[] = [];
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of outputs.get(name)?.imports ?? [])
      if (!external && kind === 'import-statement') visit(basename(path));
    ordered.push(name);
  };
  visit(chunk);
  return ordered;
}
