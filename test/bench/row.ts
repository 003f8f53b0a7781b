// The rows of the bench: a measurement, and whether it keeps the promise of the project.
export interface Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: Figure;
  readonly peer?: Figure;
  /** The cost of the simplest program that does the same, as a lower limit. */
  readonly limit?: Figure;
  /** The maximum of our figure. */
  readonly budget?: number;
  /** The minimum of the peer's figure as a multiple of ours. */
  readonly ratioMin?: number;
}

/**
 * Other programs share the machine, so a promise is only missed if it is exceeded by more than this share.
 */
export const tolerance = 0.25;

export function toFigure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const median = sorted[Math.floor(sorted.length / 2)];
  if (min === undefined || max === undefined || median === undefined)
    throw new Error('Expected at least one value.');
  return { median, min, max };
}

/** The peer's figure as a multiple of ours. */
export function compareWithPeer({ ours, peer }: Row): number | undefined {
  return peer && peer.median / ours.median;
}

export type Verdict = 'kept' | 'missed' | 'missed within tolerance' | 'not promised';

export function judge(row: Row): Verdict {
  if (row.budget === undefined && row.ratioMin === undefined) return 'not promised';
  if (keeps(row, 0)) return 'kept';
  return keeps(row, tolerance) ? 'missed within tolerance' : 'missed';
}

function keeps(row: Row, slack: number): boolean {
  const { ours, budget = Number.POSITIVE_INFINITY, ratioMin = 0 } = row;
  const ratio = compareWithPeer(row) ?? Number.POSITIVE_INFINITY;
  return ours.median <= budget * (1 + slack) && ratio >= ratioMin * (1 - slack);
}
