// The state of a run, as soon as it is another than the caller knows.
import type { Caller } from '#lib/access/caller.ts';
import { ownRun } from './own-run.ts';
import type { RunView } from './state.ts';
import { isFinal } from './stored.ts';
import { untilChanged } from './tail.ts';

interface Wait {
  readonly ms: number;
  /** Whether the caller has this state already. */
  readonly isKnown: (view: RunView) => boolean;
}

/** Answers at once when the run is over, or when the caller does not know how it is now. */
export async function waitForRun(
  caller: Caller,
  workspaceid: string,
  id: string,
  { ms, isKnown }: Wait,
): Promise<RunView> {
  const view = await ownRun(caller, workspaceid, id, Date.now());
  if (ms <= 0 || isFinal(view.status) || !isKnown(view)) return view;
  await untilChanged(id, view.run.generation, ms);
  return await ownRun(caller, workspaceid, id, Date.now());
}
