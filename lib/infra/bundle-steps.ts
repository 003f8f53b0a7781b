// Builds the bundle of each function from the chunks of all, two at a time, and replaces only those that change.
import { createHash } from 'node:crypto';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Chunks, readReached } from './bundle-chunks.ts';
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

/** Receives how many of all functions are built. Before the first, the code of all is read. */
export type Report = (done: number, total: number) => void;

export interface Surroundings {
  /** A folder for intermediate files. */
  readonly scratch: string;
  readonly chunks: Chunks;
  readonly threads: readonly ThreadFiles[];
  /** What the same bundler built before. */
  readonly known: BuildRecord | undefined;
}

/** Each holds the syntax trees of all chunks, some 200 MiB. */
const bundlersMax = 2;

export async function buildBundles(
  entries: readonly string[],
  surroundings: Surroundings,
  report: Report,
): Promise<{ readonly bundles: readonly BuiltBundle[]; readonly console: RecordedConsole }> {
  const site = buildSite(surroundings);
  const functions = entries.filter((entry) => entry !== consoleEntry);
  const queue = [...functions];
  const bundles: BuiltBundle[] = [];
  const work = async () => {
    const bundler = await openBundler(surroundings.chunks);
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      bundles.push(await buildBundle(entry, bundler, surroundings));
      report(bundles.length, entries.length);
    }
    return bundler;
  };
  const bundlers = await Promise.all(Array.from({ length: bundlersMax }, work));
  const [bundler] = bundlers;
  if (bundler && functions.length < entries.length) {
    bundles.push(await buildBundle(consoleEntry, bundler, surroundings, await site));
    report(bundles.length, entries.length);
  }
  await Promise.all(bundlers.map(({ close }) => close()));
  return { bundles: bundles.sort((a, b) => (a.entry < b.entry ? -1 : 1)), console: (await site).console };
}

/** The files of the console, which lie in the bundle of the function that serves them. */
interface Site {
  readonly folder: string;
  readonly console: RecordedConsole;
}

async function buildSite({ known, scratch }: Surroundings): Promise<Site> {
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
  const key = digestInputs(await readReached(chunks, entry), threads, site);
  const former = known?.bundles.find((bundle) => bundle.entry === entry);
  if (former?.key === key && former.digest === digestFolder(folder)) return former;
  const { files, eager, lazy, inputs } = await bundler.bundle(entry);
  const thread = threads.find(({ starter }) => inputs.includes(starter));
  const made = join(scratch, 'functions', entry);
  await mkdir(made, { recursive: true });
  const all = [...files.map(({ path, contents }) => [path, contents] as const), ...(thread?.files ?? [])];
  await Promise.all(all.map(([path, contents]) => writeFile(join(made, basename(path)), contents)));
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
  reached: readonly Uint8Array[],
  threads: readonly ThreadFiles[],
  site: Site | undefined,
): string {
  const digest = createHash('sha256');
  for (const contents of [...reached, ...threads.flatMap(({ files }) => [...files.values()])])
    digest.update(createHash('sha256').update(contents).digest());
  return digest.update(site?.console.key ?? '').digest('hex');
}
