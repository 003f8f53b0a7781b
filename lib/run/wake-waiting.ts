// Runs that wait for a connection go on once it is stored. Whoever stores it looks who waits; a run that rests looks once more for what it
// waits for. As both write before they look, one of them sees the other.

import type { RunNeeds } from './missing-connections.ts';
import { findMissing } from './missing-connections.ts';
import type { StoredRun } from './stored-run.ts';
import { type Awaited, forgetWaiting, queryWaiting } from './waiting-items.ts';

const pageSize = 100;
/** 10,000 runs, some seconds. Those beyond go on when the connection is stored again, or when they are resumed. */
const pagesMax = 100;

/** Call it once the value is stored. Should it fail, storing again wakes those who are left. One read where nobody waits. */
export async function wakeWaiting(awaited: Awaited): Promise<void> {
  let after = ' ';
  for (let page = 0; page < pagesMax; page += 1) {
    const items = await queryWaiting(awaited, after, pageSize);
    const last = items.at(-1);
    if (!last) return;
    const { enqueueAll, wakeMessageOf } = await import('./run-queue.ts');
    await enqueueAll(items.map(({ run_id }) => wakeMessageOf({ ...awaited, run_id })));
    await forgetWaiting(items);
    if (items.length < pageSize) return;
    after = last.sk;
  }
}

/** Call it once the rest is stored: for a value that came after the run had looked for it, and before it was found to wait. */
export async function wakeIfStored(run: StoredRun, { connections: [first] }: RunNeeds): Promise<void> {
  if (!first) return;
  const { connection, ...declaration } = first;
  if ((await findMissing(run, { [connection]: declaration })).length > 0) return;
  const { enqueueAll, wakeMessageOf } = await import('./run-queue.ts');
  await enqueueAll([wakeMessageOf(run)]);
}
