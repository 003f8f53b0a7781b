// The sort key of a run in the indexes of lists: its position, and behind it who started it. An index cannot be given
// another attribute (docs/data-model.md, "Change an index"), but it always has its keys, so lists name the caller without
// another read or write.
import type { StoredRun } from './stored-run.ts';

/** What the organisation that owns a run sees of who started it; nothing where a list does not know it. */
export interface RunCaller {
  readonly created_by?: string | undefined;
  readonly caller_organization?: 'own' | 'other' | undefined;
}

type Started = Pick<StoredRun, 'run_id' | 'created_at' | 'orgid' | 'caller_id' | 'caller_orgid'>;

/** Nothing of a caller of another organisation is shown, or stored in the index. */
export const toRunCaller = ({ orgid, caller_id, caller_orgid }: Omit<Started, 'run_id' | 'created_at'>) =>
  caller_orgid === orgid
    ? ({ created_by: caller_id, caller_organization: 'own' } as const)
    : ({ caller_organization: 'other' } as const);

/** Sorts runs by their start. No other run has the same. */
export const toPosition = ({ created_at, run_id }: Pick<Started, 'run_id' | 'created_at'>): string =>
  `${created_at}#${run_id}`;

/** `{position}#{caller}`, without the caller if it is one of another organisation. The parts never change. */
export const toSortKey = (run: Started): string => {
  const { created_by = '' }: RunCaller = toRunCaller(run);
  return `${toPosition(run)}#${created_by}`;
};

/** Nothing of a run whose key an earlier version has written: that is the position alone. */
export function readCaller(sortKey: string, position: string): RunCaller {
  if (sortKey.length <= position.length) return {};
  const created_by = sortKey.slice(position.length + 1);
  return created_by === '' ? { caller_organization: 'other' } : { created_by, caller_organization: 'own' };
}
