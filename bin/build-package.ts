// `npm run build:package` builds the npm package of the engine in dist/package; `npm pack ./dist/package` packs it.
import { join, relative } from 'node:path';
import { giveUp } from '#lib/cli/give-up.ts';
import { dist, root } from '#lib/infra/bundle-folder.ts';
import { buildPackage } from '#lib/infra/package-files.ts';

const folder = join(dist, 'package');
const { inputs } = await buildPackage(folder).catch((error: unknown) => giveUp(error, 'The build failed'));
console.log(`${relative(root, folder)} contains ${inputs.length} source files.`);
