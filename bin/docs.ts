// `npm run docs`: writes the documentation as a static site into dist/docs.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { giveUp } from '#lib/cli/give-up.ts';
import { dist } from '#lib/infra/bundle-folder.ts';
import { buildSite } from '#lib/site/build-site.ts';

const folder = join(dist, 'docs');
await write().catch((error) => giveUp(error));

async function write(): Promise<void> {
  const site = await buildSite();
  await rm(folder, { recursive: true, force: true });
  for (const [address, bytes] of site) {
    const file = join(folder, address);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  console.log(
    `dist/docs has ${site.size} files: serve the folder with any web server, or open /docs/ of \`npm start\`.`,
  );
}
