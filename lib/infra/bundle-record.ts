// What the build remembers beside the bundles: from which files each of them was built, and what was built. A bundle is
// used again only if its sources, the bundler and the bundle itself are as they were.
import { createHash, hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version as esbuildVersion } from 'esbuild';
import * as z from 'zod';
import { bundleFolder, dist, root } from './bundle-folder.ts';

const built = z.object({
  entry: z.string(),
  /** The digest of all that the bundle was built from. */
  key: z.string(),
  /** The digest of the bundle. */
  digest: z.string(),
  eager: z.number(),
  lazy: z.number(),
  thread: z.number().optional(),
  /** Its source files, relative to the project. */
  inputs: z.array(z.string()),
});
export type BuiltBundle = z.infer<typeof built>;

const builtConsole = z.object({
  script: z.number(),
  style: z.number(),
  requests: z.number(),
  layoutWorker: z.number(),
  editor: z.number(),
  flowWorker: z.number(),
  pages: z.array(z.strictObject({ page: z.string(), bytes: z.number() })).readonly(),
  inputs: z.array(z.string()),
  /** The digest of the inputs. */
  key: z.string(),
});
export type RecordedConsole = z.infer<typeof builtConsole>;

const record = z.object({
  /** That of `digestBundler`. */
  bundler: z.string(),
  /** The source files of all functions and of the console, relative to the project. */
  sources: z.array(z.string()),
  /** The digest of their contents. */
  digest: z.string(),
  console: builtConsole,
  bundles: z.array(built),
});
export type BuildRecord = z.infer<typeof record>;

const file = join(dist, 'functions.json');

export function readRecord(): BuildRecord | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return record.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

export const writeRecord = (made: BuildRecord): void => writeFileSync(file, JSON.stringify(made));

/** Whether nothing changed since: neither the sources and the bundler nor the bundles. */
export const isCurrent = ({ bundler, sources, digest, bundles }: BuildRecord): boolean =>
  bundler === digestBundler() &&
  digest === digestFiles(sources) &&
  bundles.every((bundle) => bundle.digest === digestFolder(bundleFolder(bundle.entry)));

/** What determines a bundle besides its sources: the rewrites and options, esbuild, Node, and the installed packages. */
export function digestBundler(): string {
  const own = readdirSync(join(root, 'lib/infra')).filter((name) => /^(bundle|console)-?.*\.ts$/.test(name));
  const settings = [
    'package.json',
    'package-lock.json',
    'node_modules/.package-lock.json',
    'tsconfig.json',
    'lib/console/tsconfig.json',
  ];
  const files = [...own.map((name) => `lib/infra/${name}`), ...settings];
  return hash('sha256', `${esbuildVersion} ${process.version} ${digestFiles(files)}`);
}

/** `namespace:path` is a file that a plugin reads; names without a file are modules that plugins write. */
export function digestFiles(files: readonly string[]): string {
  const digest = createHash('sha256');
  for (const name of files) {
    const path = join(root, name.slice(name.indexOf(':') + 1));
    digest
      .update(`${name}\0`)
      .update(existsSync(path) ? readFileSync(path) : '')
      .update('\0');
  }
  return digest.digest('hex');
}

/** The names and contents of all files of a folder; empty if there is none. */
export function digestFolder(folder: string): string {
  if (!existsSync(folder)) return '';
  const digest = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))
    .sort();
  for (const name of names)
    digest
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  return digest.digest('hex');
}
