// The state of a run, as soon as it is another than the caller knows.

import { type Follower, heldWait } from './held-stream.ts';
import { findOwnRun, ownRun } from './own-run.ts';
import type { RunView } from './state.ts';
import { isFinal } from './stored-run.ts';
import { untilChanged } from './tail.ts';

interface Wait {
  readonly ms: number;
  /** Whether the caller has this state already. */
  readonly isKnown: (view: RunView) => boolean;
}

/**
 * Answers at once when the run is over, or when the caller does not know how it is now. Undefined where there
 * is no run. Only a caller who waits takes a permit.
 */
export async function waitForRun(
  follower: Follower,
  workspaceid: string,
  id: string,
  { ms, isKnown }: Wait,
): Promise<RunView | undefined> {
  const { caller, signal } = follower;
  const view = await findOwnRun(caller, workspaceid, id, Date.now());
  if (!view || ms <= 0 || isFinal(view.status) || !isKnown(view)) return view;
  await heldWait(follower, () => untilChanged(id, { after: view.run.generation, forMs: ms, signal }));
  return await ownRun(caller, workspaceid, id, Date.now());
}
