// Builds the bundle of each function from the chunks of all, two at a time, and replaces only those that change.
import { createHash } from 'node:crypto';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Chunks, listReached } from './bundle-chunks.ts';
import { buildConsole, consoleEntry } from './bundle-console.ts';
import { bundleFolder } from './bundle-folder.ts';
import { type Bundler, openBundler } from './bundle-function.ts';
import {
  type BuildRecord,
  type BuiltBundle,
  digestFiles,
  digestFolder,
  type RecordedConsole,
} from './bundle-record.ts';
import type { ThreadFiles } from './bundle-threads.ts';
import { waitForAll } from './wait-for-all.ts';

/** Receives how many of all functions are built. Before the first, the code of all is read. */
export type Report = (done: number, total: number) => void;

export interface Surroundings {
  /** A folder for intermediate files. */
  readonly scratch: string;
  readonly chunks: Chunks;
  readonly threads: readonly ThreadFiles[];
  readonly site: Promise<Site>;
  /** What the same bundler built before. */
  readonly known: BuildRecord | undefined;
}

export async function buildBundles(
  entries: readonly string[],
  surroundings: Surroundings,
  report: Report,
): Promise<readonly BuiltBundle[]> {
  // The syntax trees of what only large functions reach are then in the memory of one bundler.
  const reach = new Map(entries.map((entry) => [entry, listReached(surroundings.chunks, entry).length]));
  const functions = entries.filter((entry) => entry !== consoleEntry);
  const queue = functions.toSorted((a, b) => (reach.get(a) ?? 0) - (reach.get(b) ?? 0));
  // In the middle: the files of the console are finished when about half of the functions are.
  if (functions.length < entries.length) queue.splice(Math.floor(queue.length / 2), 0, consoleEntry);
  const bundles: BuiltBundle[] = [];
  const work = async (next: () => string | undefined) => {
    const bundler = await openBundler(surroundings.chunks);
    try {
      for (let entry = next(); entry !== undefined; entry = next()) {
        const site = entry === consoleEntry ? await surroundings.site : undefined;
        bundles.push(await buildBundle(entry, bundler, surroundings, site));
        report(bundles.length, entries.length);
      }
      return bundler;
    } catch (error) {
      // The other bundler shall end soon too.
      queue.length = 0;
      throw error;
    }
  };
  const bundlers = await waitForAll([work(() => queue.pop()), work(() => queue.shift())]);
  await Promise.all(bundlers.map(({ close }) => close()));
  return bundles.sort((a, b) => (a.entry < b.entry ? -1 : 1));
}

/** The files of the console, which lie in the bundle of the function that serves them. */
export interface Site {
  readonly folder: string;
  readonly console: RecordedConsole;
}

export async function buildSite({ known, scratch }: Pick<Surroundings, 'known' | 'scratch'>): Promise<Site> {
  const former = known?.console;
  const formerFolder = join(bundleFolder(consoleEntry), 'files');
  const wasBuilt = known?.bundles.some(
    ({ entry, digest }) => entry === consoleEntry && digest === digestFolder(bundleFolder(entry)),
  );
  if (former && wasBuilt && former.key === digestFiles(former.inputs))
    return { folder: formerFolder, console: former };
  const folder = join(scratch, 'console');
  const console = await buildConsole(folder, { isCompressed: true });
  return { folder, console: { ...console, inputs: [...console.inputs], key: digestFiles(console.inputs) } };
}

async function buildBundle(
  entry: string,
  bundler: Bundler,
  { scratch, chunks, threads, known }: Surroundings,
  site?: Site,
): Promise<BuiltBundle> {
  const folder = bundleFolder(entry);
  const key = digestInputs(chunks, entry, threads, site);
  const former = known?.bundles.find((bundle) => bundle.entry === entry);
  if (former?.key === key && former.digest === digestFolder(folder)) return former;
  const made = join(scratch, 'functions', entry);
  await mkdir(dirname(made), { recursive: true });
  const { eager, lazy, inputs } = await bundler.bundle(entry, made);
  const thread = threads.find(({ starter }) => inputs.includes(starter));
  for (const [name, contents] of thread?.files ?? []) await writeFile(join(made, name), contents);
  if (site) await cp(site.folder, join(made, 'files'), { recursive: true });
  await replaceFolder(folder, made);
  return {
    entry,
    key,
    digest: digestFolder(folder),
    eager,
    lazy,
    inputs: [...inputs, ...(thread?.inputs ?? [])],
    ...(thread && { thread: thread.bytes }),
  };
}

/** At once, so that a deployment which reads the folder at the same time does not find half of it. */
async function replaceFolder(folder: string, made: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  await rename(made, folder);
}

function digestInputs(
  chunks: Chunks,
  entry: string,
  threads: readonly ThreadFiles[],
  site: Site | undefined,
): string {
  const digest = createHash('sha256');
  for (const name of listReached(chunks, entry)) digest.update(chunks.digests.get(name) ?? '');
  for (const contents of threads.flatMap(({ files }) => [...files.values()]))
    digest.update(createHash('sha256').update(contents).digest());
  return digest.update(site?.console.key ?? '').digest('hex');
}
