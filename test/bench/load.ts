// Measures what callers of one organisation wait for beside a hostile one, as a multiple of what they wait for alone.
import { measureEffects } from '../load/effects.ts';
import { figureOf, type Row } from './row.ts';

export async function loadRows(): Promise<Row[]> {
  const effects = await measureEffects();
  return effects.map(({ what, ratios }) => ({
    what: `p95 of ${what}`,
    unit: '× alone',
    ours: figureOf(ratios),
    budget: 2,
  }));
}
