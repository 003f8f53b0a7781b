// How many denials without a caller a process records: such requests cost their sender nothing, so they may
// not cost us a write each.

const burst = 10;
const perSecond = 1;

/** Takes a token out of the bucket, if there is one. */
export function newDenialBudget() {
  let tokens = burst;
  let filledAt = 0;
  return (nowMs: number): boolean => {
    tokens = Math.min(burst, tokens + (Math.max(0, nowMs - filledAt) / 1_000) * perSecond);
    filledAt = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
