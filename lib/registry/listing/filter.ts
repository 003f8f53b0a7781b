// Which rows a list contains. Values of one filter are alternatives, filters combine. Each filter is a stream
// of rows to read, and all of them are a test of a row, which decides: a stream may still hold rows that no
// longer match.

import { flowIndex, statusIndex, workspaceIndex } from '../row/row-items.ts';
import type { Status, StoredRow, Visibility } from '../row/stored-row.ts';
import type { Partition } from './posting-items.ts';
import { postingRange } from './posting-keys.ts';
import { parseWords, toValue } from './value.ts';

export interface Filters {
  readonly status?: readonly Status[] | undefined;
  readonly visibility?: readonly Visibility[] | undefined;
  readonly flowid?: readonly string[] | undefined;
  /** Tags of the card or of a skill; upper and lower case are the same. */
  readonly tag?: readonly string[] | undefined;
  /** MIME types that the card, or a skill, takes and gives. */
  readonly input_mode?: readonly string[] | undefined;
  readonly output_mode?: readonly string[] | undefined;
  /** Words, all of which must be among those that the row is found by. */
  readonly q?: string | undefined;
}

/**
 * The partitions that hold one filter's rows. A row is in one of them for good, unless a change of the row
 * itself moves it.
 */
export type Stream = readonly Partition[];

/** The whole workspace if there are no filters. */
export function buildStreams(orgid: string, workspaceid: string, filters: Filters): Stream[] {
  const flowids = filters.flowid && [...new Set(filters.flowid)];
  const streams: Stream[] = [
    ...single(filters.status).map(
      (status): Stream => [{ index: 'gsi3', key: statusIndex(orgid, workspaceid, status) }],
    ),
    ...(flowids
      ? [flowids.map((id) => ({ index: 'gsi2' as const, key: flowIndex(orgid, workspaceid, id) }))]
      : []),
    ...wantedValues(filters).map((values) =>
      values.map((value) => ({
        index: 'postings' as const,
        ...postingRange(orgid, workspaceid, value),
      })),
    ),
  ];
  return streams.length > 0 ? streams : [[{ index: 'gsi1', key: workspaceIndex(orgid, workspaceid) }]];
}

export function rowFilter(filters: Filters): (row: StoredRow) => boolean {
  const { status, flowid } = filters;
  const wanted = wantedValues(filters);
  return (row) => {
    const has = new Set(Object.values(row.postings ?? {}).flat());
    return (
      (!status || status.includes(row.status)) &&
      (!flowid || flowid.includes(row.flowid)) &&
      wanted.every((values) => values.some((value) => has.has(value)))
    );
  };
}

/** For each filter, the values of which a row must have at least one. */
function wantedValues({ visibility, tag, input_mode, output_mode, q }: Filters): readonly string[][] {
  const filters: (string[] | undefined)[] = [
    ...single(visibility).map((each) => [toValue('VISIBILITY', each)]),
    tag?.map((each) => toValue('TAG', each)),
    input_mode?.map((each) => toValue('INPUT', each)),
    output_mode?.map((each) => toValue('OUTPUT', each)),
    ...(q === undefined ? [] : wordsWanted(q)),
  ];
  return filters.filter((values) => values !== undefined).map((values) => [...new Set(values)]);
}

/** A query of stop words alone matches no row. */
function wordsWanted(q: string): string[][] {
  const words = parseWords(q);
  return words.length > 0 ? words.map((word) => [word]) : [[]];
}

/** The value of a filter that has two possible ones: both together filter nothing. */
function single<T>(values: readonly T[] | undefined): readonly T[] {
  const distinct = [...new Set(values)];
  return distinct.length === 1 ? distinct : [];
}
