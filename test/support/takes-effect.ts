// When a change is in effect everywhere. The functions of this machine share what they remember, so that it is at once.
// Those of a deployed service remember for themselves, each for at most the time that docs/security.md names: that one of
// them knows says nothing about the others.
import { setTimeout } from 'node:timers/promises';

export async function inEffectWithin(seconds: number): Promise<void> {
  if (process.env.BASE_URL) await setTimeout(1_000 * seconds);
}
