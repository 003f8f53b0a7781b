// Builds the bundles of all functions in dist/functions: first the chunks of all sources, then the files of each
// function from its chunks. A function whose chunks are as they were keeps its bundle.
// docs/decisions/0065-build.md has the reasons and the measurements.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { eventSources } from '#lib/routes/event-sources.ts';
import { routeList } from '#lib/routes/routes.ts';
import { splitSources } from './bundle-chunks.ts';
import { withLazyCollector } from './bundle-collector.ts';
import type { ConsoleSizes } from './bundle-console.ts';
import { dist, functionsFolder } from './bundle-folder.ts';
import {
  type BuildRecord,
  type BuiltBundle,
  digestBundler,
  digestFiles,
  isCurrent,
  readRecord,
  writeRecord,
} from './bundle-record.ts';
import { buildBundles, buildSite, type Report, type Surroundings } from './bundle-steps.ts';
import { buildThreads } from './bundle-threads.ts';
import { waitForAll } from './wait-for-all.ts';

const sources = [...routeList.map(([, route]) => route), ...Object.values(eventSources)];
const flowRunners: ReadonlySet<string> = new Set(
  sources.filter(({ uses }) => uses.some((use) => use === 'models.call')).map(({ entry }) => entry),
);

/** The entries of all functions of the stack. */
export const entries: readonly string[] = sources.map(({ entry }) => entry).sort();

export interface Bundle extends Omit<BuiltBundle, 'key' | 'digest'> {
  /** Whether it runs flows, and so contains the engine and the model client. */
  readonly runsFlows: boolean;
}

export interface Build {
  readonly bundles: readonly Bundle[];
  readonly console: ConsoleSizes;
}

/** Whether the bundles of all functions are there and as new as their sources. */
export function isBuilt(): boolean {
  const known = readRecord();
  return known !== undefined && isOfAll(known) && isCurrent(known);
}

/** Always reads the sources of all functions. */
export async function build(report: Report = () => {}): Promise<Build> {
  report(0, entries.length);
  await mkdir(dist, { recursive: true });
  const scratch = await mkdtemp(join(dist, '.build-'));
  try {
    const made = await withLazyCollector(() => buildIn(scratch, report));
    await removeOthers();
    writeRecord(made);
    return toBuild(made);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const isOfAll = ({ bundles }: BuildRecord): boolean =>
  bundles.map(({ entry }) => entry).join() === entries.join();

const toBuild = ({ bundles, console }: BuildRecord): Build => ({
  bundles: bundles.map((bundle) => ({ ...bundle, runsFlows: flowRunners.has(bundle.entry) })),
  console,
});

async function buildIn(scratch: string, report: Report): Promise<BuildRecord> {
  const bundler = digestBundler();
  const record = readRecord();
  const known = record?.bundler === bundler ? record : undefined;
  const site = buildSite({ scratch, known });
  const functions = buildFunctions({ scratch, known, site }, report);
  const [{ console }, { bundles, inputs }] = await waitForAll([site, functions]);
  const sources = [...new Set([...inputs, ...console.inputs])].sort();
  return { bundler, sources, digest: digestFiles(sources), bundles: [...bundles], console };
}

async function buildFunctions(
  around: Pick<Surroundings, 'scratch' | 'known' | 'site'>,
  report: Report,
): Promise<{ readonly bundles: readonly BuiltBundle[]; readonly inputs: readonly string[] }> {
  const [chunks, threads] = await waitForAll([
    splitSources(entries, join(around.scratch, 'chunks')),
    buildThreads(around.scratch),
  ]);
  const bundles = await buildBundles(entries, { ...around, chunks, threads }, report);
  return { bundles, inputs: [...chunks.sources, ...threads.flatMap((thread) => thread.inputs)] };
}

/** Bundles of functions that no longer exist. */
async function removeOthers(): Promise<void> {
  const files = await readdir(functionsFolder, { recursive: true });
  const folders = files.filter((file) => file.split(sep).length === 2 && !entries.includes(file));
  await Promise.all(folders.map((folder) => rm(join(functionsFolder, folder), { recursive: true })));
}
