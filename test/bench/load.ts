// Measures the waiting times of one organisation beside a hostile one, as multiples of those without it.
import { measureEffects } from '../load/effects.ts';
import { type Row, toFigure } from './row.ts';

export async function loadRows(): Promise<Row[]> {
  const effects = await measureEffects();
  return effects.map(({ what, ratios }) => ({
    what: `p95 of ${what}`,
    unit: '× alone',
    ours: toFigure(ratios),
    budget: 2,
  }));
}
