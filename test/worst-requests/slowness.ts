// How slow this machine is at the moment, so that the same request costs the same on every machine, and on one that has
// other things to do.

/** What the computation below takes on the machine of docs/security.md, in milliseconds of CPU time. */
const referenceMs = 10;
/** A machine that is shared changes its speed within seconds. */
const validMs = 2_000;
const tries = 5;

/** Twice as slow is 2. */
export function newSlowness(
  computationMs: () => number = computeOnce,
  now: () => number = Date.now,
): () => number {
  let measured = { at: Number.NEGATIVE_INFINITY, slowness: 1 };
  return () => {
    if (now() - measured.at < validMs) return measured.slowness;
    // The least that it takes: garbage is collected in some of them.
    const slowness = Math.min(...Array.from({ length: tries }, computationMs)) / referenceMs;
    measured = { at: now(), slowness };
    return slowness;
  };
}

const text = JSON.stringify(
  Array.from({ length: 2_000 }, (_, n) => ({
    id: `row-${n}`,
    n,
    tags: ['a', 'b'],
    text: 'x'.repeat(n % 50),
  })),
);

/** Parses, sorts and writes JSON, as requests do. Returns the milliseconds of CPU time. */
function computeOnce(): number {
  const before = process.cpuUsage();
  for (let round = 0; round < 5; round += 1) {
    const rows: { readonly id: string }[] = JSON.parse(text);
    JSON.stringify(rows.sort((a, b) => (a.id < b.id ? -1 : 1)));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
