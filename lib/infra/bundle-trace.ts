// Translates positions in the bundle of a function to positions in its sources. Bundles are deployed without source maps;
// a build of the same sources has the same bytes, so the maps can be made when a stack trace needs them.
import { readdir, readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { type Chunks, splitSources } from './bundle-chunks.ts';
import { root } from './bundle-folder.ts';
import { madeFolder, openBundler } from './bundle-function.ts';
import { withPositions } from './bundle-options.ts';
import { buildThreads } from './bundle-threads.ts';

/** The map of each file, by the name of the file in the bundle. */
export type BundleMaps = ReadonlyMap<string, SourceMap>;

const payload = z.looseObject({ sources: z.array(z.string()) });

/** `entries` are those of all functions, because they determine the chunks. `scratch` is an empty folder. */
export async function mapBundle(
  entry: string,
  entries: readonly string[],
  scratch: string,
): Promise<BundleMaps> {
  const folder = join(scratch, 'mapped');
  const deployed = await bundleOnce(entry, await splitSources(entries, join(scratch, 'deployed')));
  const mapped = await bundleOnce(entry, await splitSources(entries, folder, withPositions), external);
  const threads = await buildThreads(folder, external);
  const threadFiles = threads.flatMap(({ files }) =>
    [...files].flatMap(([name, bytes]) =>
      isCode(name) ? [[name, new TextDecoder().decode(bytes)] as const] : [],
    ),
  );
  // esbuild has written the files beside the folder of the chunks, those of threads into it.
  const maps = new Map([
    ...readMaps(mapped, join(`${folder}-bundle`, madeFolder)),
    ...readMaps(new Map(threadFiles), folder),
  ]);
  return new Map(
    [...deployed, ...threadFiles].flatMap(([name, text]) => {
      const map = maps.get(withoutHashes(text));
      return map === undefined ? [] : [[name, map] as const];
    }),
  );
}

/** The map of each file by its text, whose names have other hashes. `folder` is where esbuild wrote the files. */
const readMaps = (
  files: ReadonlyMap<string, string>,
  folder: string,
): readonly (readonly [string, SourceMap])[] =>
  [...files].flatMap(([name, text]) => {
    const map = files.get(`${name}.map`);
    return map === undefined ? [] : [[withoutHashes(text), readMap(map, folder)] as const];
  });

const external = { ...withPositions, sourcemap: 'external' } as const;
const isCode = (name: string): boolean => /\.mjs(\.map)?$/.test(name);

async function bundleOnce(
  entry: string,
  chunks: Chunks,
  options: Parameters<typeof openBundler>[1] = {},
): Promise<ReadonlyMap<string, string>> {
  const bundler = await openBundler(chunks, options);
  const folder = `${chunks.folder}-bundle`;
  await bundler.bundle(entry, folder);
  await bundler.close();
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

/** With maps, the names of files have other hashes of the same length. */
const withoutHashes = (text: string): string => text.replaceAll(/-[A-Z0-9]{8}(?=[-.])/g, '-________');

function readMap(text: string, folder: string): SourceMap {
  const parsed = payload.parse(JSON.parse(text));
  const sources = parsed.sources.map((source) => toProjectPath(source, folder));
  return new SourceMap({ ...parsed, sources } as unknown as SourceMapPayload);
}

/**
 * Sources of namespaces are `namespace:path`, where the path is relative to the project; the copy of a module of Node has
 * the path of the file that imports it after a question mark.
 */
function toProjectPath(source: string, folder: string): string {
  const [, importer] = source.split('?');
  if (importer !== undefined) return importer;
  return source.includes(':')
    ? source.slice(source.lastIndexOf(':') + 1)
    : relative(root, resolve(folder, source));
}

/** Replaces each `/var/task/<file>:<line>:<column>` of a stack trace by the position in the source. */
export function translateTrace(text: string, maps: BundleMaps): string {
  return text.replaceAll(deployedPosition, (position, file: string, line: string, column: string) => {
    const found = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!found || !('originalSource' in found)) return position;
    return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

const deployedPosition = /(?:file:\/\/)?\/var\/task\/([\w.-]+\.mjs):(\d+):(\d+)/g;
