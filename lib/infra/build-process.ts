// Builds the bundles that are missing or older than their sources, in a process of its own. Its heap is bounded as that of
// `npm run build`, so that the build takes no more than a gigabyte with esbuild, whoever needs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './bundle.ts';

/** Those of the script `build` in package.json (docs/decisions/0091-faster-build.md). */
export const heapBounds = ['--max-old-space-size=256', '--max-semi-space-size=4'] as const;

const program = fileURLToPath(new URL('../../bin/build.ts', import.meta.url));

/** Shows the progress on stderr. Nothing is read twice if nothing has changed since the last build. */
export async function ensureBuilt(): Promise<void> {
  if (isBuilt()) return;
  const child = spawn(process.execPath, [...heapBounds, program], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('The bundles of the functions could not be built.');
}
