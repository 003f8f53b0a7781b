// When a node that stands still runs again: with an answer, when its time has come, or after a wait short enough to be slept through.

import type { Waking } from './pause.ts';
import type { Run } from './run.ts';
import type { Cursor, Entered } from './scope.ts';

const due: Waking = { isDue: true };

/** Undefined when it goes on standing still. */
export async function wakingOf({ run, stop }: Cursor, { pause, key }: Entered): Promise<Waking | undefined> {
  if (pause?.kind === 'input') {
    const { answer } = run;
    if (answer?.id === (pause.id ?? key)) return { answer: { value: answer.value } };
    return pause.expires_at !== undefined && msUntil(run, pause.expires_at) <= 0 ? due : undefined;
  }
  if (pause?.kind !== 'until') return {};
  const ms = msUntil(run, pause.at);
  if (ms > 0) {
    if (!isPatient(run, ms) || !(await run.pulse.sleep(stop, ms))) return undefined;
  }
  return due;
}

const msUntil = (run: Run, time: string) => Date.parse(time) - run.ports.clock.now();

const isPatient = (run: Run, ms: number) =>
  ms <= run.patienceMs && run.ports.clock.monotonic() + ms < Math.min(run.yieldAt, run.startedAt + run.ms);
