// The licences of the packages that browsers load with the console: their text must be distributed with them, and that of
// the layout library (EPL-2.0 §3.1) also demands a notice of where its source is.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as z from 'zod';
import { root } from './bundle-folder.ts';

/** Returns the name of the file, which has the hash of its content. */
export async function writeLicences(folder: string, metafiles: readonly Metafile[]): Promise<string> {
  const text = (await Promise.all(findPackages(metafiles).map(describePackage))).join(
    `\n${'-'.repeat(80)}\n\n`,
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const name = `licences-${hash}.txt`;
  await writeFile(join(folder, name), text);
  return name;
}

/** The folders of the packages of which anything is in the builds, sorted. */
function findPackages(metafiles: readonly Metafile[]): readonly string[] {
  const outputs = metafiles.flatMap((each) => Object.values(each.outputs));
  const sources = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  const folders = sources.map((path) => /^(?:.*?:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

const packageJson = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  repository: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).optional(),
});

async function describePackage(folder: string): Promise<string> {
  const path = join(root, folder);
  const { name, version, license, repository } = packageJson.parse(
    JSON.parse(await readFile(join(path, 'package.json'), 'utf8')),
  );
  const file = (await readdir(path)).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
  const text = file === undefined ? `${license}\n` : await readFile(join(path, file), 'utf8');
  const source = repository === undefined ? '' : `Source: ${repository.replace(/^git\+/, '')}\n`;
  return `${name} ${version}\n${source}\n${text.trim()}\n`;
}
