// `npm run load`: whether what one organisation does makes another wait. Run it alone: it measures time. What is missed is measured
// once more, and fails when it is missed again.
import { runMain } from '#test/support/run-main.ts';
import { measureEffects } from './effects.ts';
import type { Effect } from './measure.ts';

/** Beside others a caller may wait so many times as long as alone. */
const ratioMax = 2;
/** Less is no matter to anybody, and no more than two turns of the thread that all callers share. */
const differenceMsMin = 10;

await runMain(main);

async function main(): Promise<void> {
  const effects = await measureEffects(isTooMuch);
  for (const effect of effects) console.log(formatLine(effect));
  const missed = effects.filter(isTooMuch);
  if (missed.length > 0) throw new Error(`Missed: ${missed.map(({ what }) => what).join('; ')}.`);
}

function isTooMuch({ aloneP95, besideP95, ratio }: Effect): boolean {
  return ratio > ratioMax && besideP95 - aloneP95 > differenceMsMin;
}

function formatLine({ what, aloneP95, besideP95, ratio }: Effect): string {
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(10);
  return `${what.padEnd(60)} p95 ${ms(besideP95)}, alone ${ms(aloneP95)}: ${ratio.toFixed(2)} ×`;
}
