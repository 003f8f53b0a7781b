// Who started runs: grouped, for those who want to know whom a change concerns.
import type { RunSummary } from '#lib/run/detail.ts';

type Caller = Pick<RunSummary, 'created_by' | 'caller_organization'>;

export interface CallerCalls extends Caller {
  readonly calls: number;
  /** The newest of them. */
  readonly last: RunSummary;
  /** Numbers of the builds that were called, in ascending order. */
  readonly builds: readonly number[];
}

/**
 * `runs` are newest first, and so are the callers, by their last call. Callers of other organisations count as one,
 * and so do those of runs that do not have their caller.
 */
export function groupByCaller(runs: readonly RunSummary[]): CallerCalls[] {
  const groups = Map.groupBy(runs, callerKey);
  return [...groups.values()].flatMap((calls) => {
    const [last] = calls;
    if (!last) return [];
    const { created_by, caller_organization } = last;
    const builds = [...new Set(calls.flatMap(({ build_no }) => build_no ?? []))].sort((a, b) => a - b);
    return [
      {
        ...(created_by !== undefined && { created_by }),
        ...(caller_organization !== undefined && { caller_organization }),
        calls: calls.length,
        last,
        builds,
      },
    ];
  });
}

/** Ids of callers have no spaces. */
export const callerKey = ({ created_by, caller_organization }: Caller): string =>
  created_by ?? `${caller_organization ?? 'unknown'} caller`;
