// The code of worker threads. No module imports the entry of a thread, so it is a bundle of its own, in one file since
// all of it is used. It lies beside the functions that can start the thread.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { fromSources } from './bundle-chunks.ts';
import { isNodeModule, leanNode } from './bundle-node.ts';
import { smallZod } from './bundle-zod.ts';

interface Thread {
  /** The module that starts it, from the file beside its own. */
  readonly starter: string;
  readonly entry: string;
  readonly file: string;
  /** Other files that it needs, by their names in the bundle. */
  readonly others: Readonly<Record<string, string>>;
}

const threads: readonly Thread[] = [
  {
    starter: 'lib/run/compute/thread.ts',
    entry: 'lib/run/compute/thread-entry.ts',
    file: 'compute-thread.mjs',
    others: {},
  },
  {
    starter: 'lib/code/thread.ts',
    entry: 'lib/code/thread-entry.ts',
    file: 'code-thread.mjs',
    others: { 'interpreter.wasm': '@jitl/quickjs-wasmfile-release-sync/wasm' },
  },
];

export interface ThreadFiles {
  readonly starter: string;
  /** By their names in the bundle. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The bytes of the code. */
  readonly bytes: number;
  /** The source files, relative to the project. */
  readonly inputs: readonly string[];
}

export async function buildThreads(folder: string, more: BuildOptions = {}): Promise<readonly ThreadFiles[]> {
  return await Promise.all(threads.map((thread) => buildThread(thread, folder, more)));
}

async function buildThread(thread: Thread, folder: string, more: BuildOptions): Promise<ThreadFiles> {
  const { outputFiles = [], metafile } = await build({
    ...fromSources,
    entryPoints: [{ in: thread.entry, out: basename(thread.file, '.mjs') }],
    outdir: folder,
    write: false,
    plugins: [smallZod, leanNode],
    ...more,
    metafile: true,
  });
  const code = outputFiles.map(({ path, contents }) => [basename(path), contents] as const);
  const { resolve } = createRequire(import.meta.url);
  const others = Object.entries(thread.others).map(
    async ([name, from]) => [name, await readFile(resolve(from))] as const,
  );
  return {
    starter: thread.starter,
    files: new Map<string, Uint8Array>([...code, ...(await Promise.all(others))]),
    bytes: outputFiles.find(({ path }) => basename(path) === thread.file)?.contents.length ?? 0,
    inputs: Object.keys(metafile.inputs).filter((input) => !isNodeModule(input)),
  };
}
