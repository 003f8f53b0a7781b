// What the bench finds out: one row for each thing measured, and whether it keeps what the project promises.
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
  /** What the plainest program needs that does the same: nobody can be faster. */
  readonly limit?: Figure;
  /** The most that ours may be. */
  readonly budget?: number;
  /** The least that the peer may be, as a multiple of ours. */
  readonly ratioMin?: number;
}

/** Other programs share the machine, so a promise counts as broken only when it is missed by more than this part. */
export const tolerance = 0.25;

export function toFigure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const median = sorted[Math.floor(sorted.length / 2)];
  if (min === undefined || max === undefined || median === undefined)
    throw new Error('Nothing was measured.');
  return { median, min, max };
}

/** How many times the peer's cost is ours. */
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
