// Of the package.json that each AWS client brings, leaves the version, which is all that it reads (2 KiB for each client).
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import * as z from 'zod';

const packageFile = /[/\\]@aws-sdk[/\\][a-z-]+[/\\]package\.json$/;
const versioned = z.object({ version: z.string() });

export const smallAws: Plugin = {
  name: 'small-aws',
  setup({ onLoad }) {
    onLoad({ filter: packageFile }, async ({ path }) => ({
      contents: JSON.stringify(versioned.parse(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }));
  },
};
