import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { heapBounds } from '#lib/infra/build-process.ts';

it('`npm run build` and a build by the CDK or `npm start` have the same bound', () => {
  const file = new URL('../../package.json', import.meta.url);
  const { scripts } = z
    .object({ scripts: z.object({ build: z.string() }) })
    .parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(scripts.build).toContain(`node ${heapBounds.join(' ')} bin/build.ts`);
});
