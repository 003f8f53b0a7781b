// Many runs in few calls, for lists: their headers, and their events.
import { batchGet, batchGetMax } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import type { Item, Key } from '#lib/dynamo/items.ts';
import { readRunEventItems } from './run-items.ts';
import { unpackEnd } from './stored-end.ts';
import { type EventItem, eventItem, parseRun, runKey, type StoredRun } from './stored-run.ts';

/** By id, without those that have expired. */
export async function readRuns(ids: readonly string[]): Promise<ReadonlyMap<string, StoredRun>> {
  const runs = (await readItems(ids.map((id) => runKey(id)))).map(parseRun);
  return new Map(runs.map((run) => [run.run_id, run]));
}

/** Some attributes of headers, which may hold large inputs. */
export async function readRunAttributes(
  ids: readonly string[],
  attributes: readonly string[],
): Promise<Item[]> {
  return await readItems(
    ids.map((id) => runKey(id)),
    {
      ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
    },
  );
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
    if (needsAll(run) && countItems(run) > fewEvents) return await readRunEventItems(run);
    const known = (items.get(runKey(run.run_id).pk) ?? []).map((item) => eventItem.parse(item));
    const end = await unpackEnd(run);
    return [...known, ...(end ? [end] : [])].sort((a, b) => a.generation - b.generation);
  };
}

/** The last event of a run that is over is in its header. */
const countItems = ({ generation, end }: StoredRun) => (end ? generation - 1 : generation);

/** Of the events that have items of their own. */
function listGenerations(run: StoredRun, needsAll: boolean): readonly number[] {
  const count = countItems(run);
  if (!needsAll) return count > 0 && !run.end ? [count] : [];
  return count > fewEvents ? [] : Array.from({ length: count }, (_, n) => n + 1);
}

async function readItems(
  keys: readonly Key[],
  projection: Parameters<typeof batchGet>[2] = {},
): Promise<Item[]> {
  const batches: (readonly Key[])[] = [];
  for (let start = 0; start < keys.length; start += batchGetMax)
    batches.push(keys.slice(start, start + batchGetMax));
  const read = (some: readonly Key[]) => batchGet(runsTable, some, { ConsistentRead: true, ...projection });
  return (await Promise.all(batches.map(read))).flat();
}
