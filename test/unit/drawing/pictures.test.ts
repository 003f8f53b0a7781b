// The pictures of the sample flows in docs/pictures, and the page that shows them. To update the pictures:
// `npx vitest run --project unit pictures -u`.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { draw } from '#lib/drawing/draw.ts';
import { readXml } from '#test/support/xml.ts';
import { sample, sampleNames } from '../flow/sample-flow.ts';

const page = readFileSync(new URL('../../../docs/patterns.md', import.meta.url), 'utf8');

test.each(sampleNames)(
  'the picture of %s is up to date, small, and on the page beside its file',
  async (name) => {
    const svg = await draw(sample(name));
    expect(() => readXml(svg)).not.toThrow();
    expect(Buffer.byteLength(svg)).toBeLessThan(30 * 1024);
    await expect(svg).toMatchFileSnapshot(`../../../docs/pictures/${name}.svg`);
    expect(page).toContain(`](../events/flows/${name}.json)`);
    expect(page).toContain(`](pictures/${name}.svg)`);
  },
);
