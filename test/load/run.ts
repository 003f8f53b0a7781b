// `npm run load`: checks that the load of one organisation does not make another wait. It measures time, so
// it must run alone. A missed promise is measured again and fails if it is missed twice.
import { runMain } from '#test/support/run-main.ts';
import { measureEffects } from './effects.ts';
import type { Effect } from './measure.ts';

/** The allowed ratio of the waiting times with and without other load. */
const ratioMax = 2;
/** A smaller difference does not matter: it is at most two evaluations in the shared compute thread. */
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
