// The folders of bundles: the build writes them and the stacks deploy them.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const dist = join(root, 'dist');
/** One folder for each function, at the path of its entry. */
export const functionsFolder = join(dist, 'functions');

export const bundleFolder = (entry: string): string => join(functionsFolder, entry);
