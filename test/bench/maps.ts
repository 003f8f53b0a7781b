// What an item of a large map costs, and how large the snapshots of the run become: per item, a map of 10,000 items may
// cost hardly more than one of 1,000.
import * as z from 'zod';
import { printedBy } from '#test/support/printed-by.ts';
import { type Row, toFigure } from './row.ts';

const repetitions = 5;
const sizes = [1_000, 10_000] as const;
/** What an item of the large map may cost, as a multiple of an item of the small one. */
const growthMax = 1.5;

const measuredMap = z.object({ cpuMicrosPerItem: z.number(), snapshotBytesPerItem: z.number() });
type MeasuredMap = z.infer<typeof measuredMap>;
type Pair = readonly [MeasuredMap, MeasuredMap];

/** Each process measures both sizes in turns, so that other work of the machine affects both. */
export async function mapRows(): Promise<Row[]> {
  const script = new URL('subject-maps.ts', import.meta.url);
  const pairs: Pair[] = [];
  for (let n = 0; n < repetitions; n += 1)
    pairs.push(
      z.tuple([measuredMap, measuredMap]).parse(await printedBy(script, { args: sizes.map(String) })),
    );
  return [
    ...toRows('CPU of an item of a map', 'µs', pairs, 'cpuMicrosPerItem'),
    ...toRows('largest snapshot of a map, for each item', 'bytes', pairs, 'snapshotBytesPerItem'),
  ];
}

function toRows(what: string, unit: string, pairs: readonly Pair[], measure: keyof MeasuredMap): Row[] {
  const absolute = sizes.map((size, at) => ({
    what: `${what}, of ${size.toLocaleString('en')}`,
    unit,
    ours: toFigure(pairs.map((pair) => pair[at === 0 ? 0 : 1][measure])),
  }));
  const growth = toFigure(pairs.map(([small, large]) => large[measure] / small[measure]));
  return [...absolute, { what: `${what}, large ÷ small`, unit: '×', ours: growth, budget: growthMax }];
}
