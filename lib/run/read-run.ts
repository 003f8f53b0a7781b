// A run with its events in one query, for those who show its state. The header sorts behind its events, so the query
// reads it first: each event up to its generation was stored by then. A run of somebody else is not read further.
import { runsTable } from '#lib/dynamo/client.ts';
import type { Item } from '#lib/dynamo/items.ts';
import { queryPages } from '#lib/dynamo/query.ts';
import { endIfAbandoned } from './end.ts';
import { withResponse } from './large-response.ts';
import { readRunEvents } from './run-items.ts';
import { unpackEnd } from './stored-end.ts';
import { eventItem, parseRun, runKey, type StoredEvent, type StoredRun } from './stored-run.ts';

export interface RunWithEvents {
  readonly run: StoredRun;
  /** Up to the generation of the run, in order. */
  readonly events: readonly StoredEvent[];
}

/**
 * One call for each megabyte of the run. Writes the end of a run whose process has died first. Undefined if there is no
 * such run, or if it is not wanted.
 */
export async function readRunWithEvents(
  id: string,
  isWanted: (run: StoredRun) => boolean,
): Promise<RunWithEvents | undefined> {
  const items: Item[] = [];
  let found: StoredRun | undefined;
  for await (const page of queryNewestFirst(id)) {
    found ??= parseHeader(page[0]);
    if (!found || !isWanted(found)) return undefined;
    items.push(...page);
  }
  if (!found) return undefined;
  const run = await endIfAbandoned(found, Date.now());
  return { run, events: run === found ? await toEvents(run, items.slice(1)) : await readRunEvents(run) };
}

const queryNewestFirst = (id: string) =>
  queryPages(runsTable, {
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': runKey(id).pk, ':first': runKey(id, 0).sk, ':last': runKey(id).sk },
    ConsistentRead: true,
    ScanIndexForward: false,
  });

/** While a run expires, its header may be gone before its events. */
const parseHeader = (item: Item | undefined): StoredRun | undefined =>
  item?.sk === runKey('').sk ? parseRun(item) : undefined;

async function toEvents(run: StoredRun, items: readonly Item[]): Promise<StoredEvent[]> {
  const stored = items.map((item) => eventItem.parse(item)).reverse();
  const end = await unpackEnd(run);
  const events = [...stored.filter(({ generation }) => generation <= run.generation), ...(end ? [end] : [])];
  return await Promise.all(events.map((event) => withResponse(run.run_id, event)));
}
