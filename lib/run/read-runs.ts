// Many runs in few calls, for lists: their headers, and their events.
import { batchGet, batchGetMax } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import type { Item, Key } from '#lib/dynamo/items.ts';
import { readEventItems } from './run-items.ts';
import { type EventItem, eventItem, runKey, type StoredRun, storedRun } from './stored-run.ts';

/** By id, without those that have expired. */
export async function readRuns(ids: readonly string[]): Promise<ReadonlyMap<string, StoredRun>> {
  const runs = (await readItems(ids.map((id) => runKey(id)))).map((item) => storedRun.parse(item));
  return new Map(runs.map((run) => [run.run_id, run]));
}

/** A run with more events takes a query of its own, which reads many small items at a lower price. */
const fewEvents = 4;

/**
 * Reads the events of runs with shared calls: the last one of each or, of a run that needs all, all if they are
 * few. Returns the function that returns the events of one of the runs, in order.
 */
export async function prefetchEvents(runs: readonly StoredRun[], needsAll: (run: StoredRun) => boolean) {
  const keys = runs.flatMap((run) =>
    listGenerations(run, needsAll(run)).map((each) => runKey(run.run_id, each)),
  );
  const items = Map.groupBy(await readItems(keys), ({ pk }) => pk);
  return async (run: StoredRun): Promise<EventItem[]> => {
    const { run_id, generation } = run;
    if (needsAll(run) && generation > fewEvents) return await readEventItems(run_id, 0);
    const known = (items.get(runKey(run_id).pk) ?? []).map((item) => eventItem.parse(item));
    return known.sort((a, b) => a.generation - b.generation);
  };
}

function listGenerations({ generation }: StoredRun, needsAll: boolean): readonly number[] {
  if (!needsAll) return generation > 0 ? [generation] : [];
  return generation > fewEvents ? [] : Array.from({ length: generation }, (_, n) => n + 1);
}

async function readItems(keys: readonly Key[]): Promise<Item[]> {
  const batches: (readonly Key[])[] = [];
  for (let start = 0; start < keys.length; start += batchGetMax)
    batches.push(keys.slice(start, start + batchGetMax));
  const read = (some: readonly Key[]) => batchGet(runsTable, some, { ConsistentRead: true });
  return (await Promise.all(batches.map(read))).flat();
}
