// The folders of bundles: the build writes them and the stacks deploy them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const dist = join(root, 'dist');

export function bundleFolder(entry: string): string {
  const folder = join(dist, entry);
  if (!existsSync(join(folder, 'index.mjs')))
    throw new Error(`dist/${entry}/index.mjs is missing: run \`npm run build\` first.`);
  return folder;
}
