// Reads the current rows of candidates, with strong consistency, and drops those that were deleted, demoted or made
// private, and those that do not fit the query.
import { a2aRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { flowKey, readLiveIds, readRows } from '#lib/registry/row/row-items.ts';
import type { Status, StoredRow, Visibility } from '#lib/registry/row/stored-row.ts';
import { readFacets } from '#lib/registry/search-index/card-terms.ts';
import type { LiveCandidate } from './live-words.ts';

export interface Hit {
  readonly row: StoredRow;
  readonly score: number;
}

interface Filters {
  readonly tag?: readonly string[] | undefined;
  readonly input_mode?: readonly string[] | undefined;
  readonly output_mode?: readonly string[] | undefined;
  readonly status?: Status | undefined;
  readonly visibility?: Visibility | undefined;
}

/** Undefined where the card has none of the words. */
type Score = (row: StoredRow) => number | undefined;

/** In the order of the candidates, at most `batchGetMax`; undefined for those that are not shown. Two calls. */
export async function confirmLive(
  caller: Caller,
  filters: Filters,
  candidates: readonly LiveCandidate[],
  score: Score,
): Promise<(Hit | undefined)[]> {
  if (candidates.length === 0) return [];
  const keys = candidates.map(({ agent }) => flowKey(agent.flowid, agent.orgid, agent.workspaceid));
  const distinct = new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key]));
  const liveIds = await readLiveIds([...distinct.values()]);
  const rows = await readSomeRows([...new Set(liveIds.values())]);
  return candidates.map(({ id }, n) => {
    const key = keys[n];
    const row = rows.get((key && liveIds.get(`${key.pk} ${key.sk}`)) ?? '');
    // Postings of another write are leftovers.
    return row?.search_id === id ? toHit(caller, filters, row, score) : undefined;
  });
}

/** The same for candidates that name a build. One call. */
export async function confirmBuilds(
  caller: Caller,
  filters: Filters,
  candidates: readonly { readonly id: string }[],
  score: Score,
): Promise<(Hit | undefined)[]> {
  const rows = await readSomeRows(candidates.map(({ id }) => id));
  return candidates.map(({ id }) => toHit(caller, filters, rows.get(id), score));
}

const readSomeRows = async (ids: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> =>
  ids.length === 0 ? new Map() : await readRows(ids);

function toHit(caller: Caller, filters: Filters, row: StoredRow | undefined, score: Score): Hit | undefined {
  if (!row || !isShown(caller, filters, row)) return undefined;
  const scored = score(row);
  return scored === undefined ? undefined : { row, score: scored };
}

/** Live: public agents of the tenant and all of the own organisation. Test: builds of the workspaces of the caller. */
function isShown(caller: Caller, filters: Filters, row: StoredRow): boolean {
  const { status = 'live', visibility } = filters;
  if (row.status !== status || (visibility !== undefined && row.visibility !== visibility)) return false;
  const isAllowed =
    status === 'test'
      ? row.orgid === caller.orgid && mayUseWorkspace(caller, row.workspaceid)
      : a2aRegistryAccess(row, caller);
  return isAllowed && fits(row, filters);
}

/** Values of one filter are alternatives; filters combine. */
function fits(row: StoredRow, { tag, input_mode, output_mode }: Filters): boolean {
  const facets = readFacets(row);
  return (
    hasOne(facets.tags, tag) &&
    hasOne(facets.input_modes, input_mode) &&
    hasOne(facets.output_modes, output_mode)
  );
}

const hasOne = (values: readonly string[], wanted: readonly string[] | undefined): boolean =>
  wanted === undefined || wanted.some((each) => values.includes(each.toLowerCase()));
