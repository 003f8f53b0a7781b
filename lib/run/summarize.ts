// How many runs of a workspace have which status, and of which flows they are. It counts the newest runs up to a bound,
// so that its cost does not grow with the workspace.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { flowid } from '#lib/ids.ts';
import { collectPage } from './collect-page.ts';
import { runSummary } from './detail.ts';
import { createRunReader, positionAfter } from './listed-runs.ts';
import type { ListedRun } from './run-list-items.ts';
import { statusAt } from './state.ts';

/** What one request counts at most: some 400 KB of the index, in five reads one after the other. */
export const countedMax = 1_000;

export const countedBy = z.enum(['status', 'flowid']);
type CountedBy = z.infer<typeof countedBy>;

const runCount = z.strictObject({
  status: runSummary.shape.status.optional(),
  flowid: flowid.optional(),
  runs: z.int(),
});
type RunCount = z.infer<typeof runCount>;

export const runCounts = z
  .strictObject({
    runs: z.int().meta({ description: 'All that were counted.' }),
    counts: z.array(runCount).meta({ description: 'Largest first. None has 0 runs.' }),
    complete: z.boolean().meta({
      description: `Whether all runs of the time were counted: \`false\` if only the newest ${countedMax} of them.`,
    }),
    since: z.string().optional().meta({
      format: 'date-time',
      description: 'The start of the oldest run that was counted; only if `complete` is false.',
    }),
  })
  .meta({ id: 'RunCounts' });

interface CountQuery {
  readonly workspaceid: string;
  /** RFC 3339; of the start of a run. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly by?: readonly CountedBy[] | undefined;
}

export async function summarizeRuns(
  caller: Caller,
  { workspaceid, from, to, by = countedBy.options }: CountQuery,
  now: number,
): Promise<z.infer<typeof runCounts>> {
  requireWorkspace(caller, workspaceid);
  const { found, next } = await collectPage({
    read: await createRunReader({ orgid: caller.orgid, workspaceid, flowid: undefined }, from, now),
    isWanted: () => true,
    limit: countedMax,
    before: positionAfter(to),
  });
  const oldest = found.at(-1);
  return {
    runs: found.length,
    counts: countRuns(found, new Set(by), now),
    complete: next === undefined,
    ...(next !== undefined && oldest && { since: oldest.created_at }),
  };
}

function countRuns(runs: readonly ListedRun[], by: ReadonlySet<CountedBy>, now: number): RunCount[] {
  const groups = new Map<string, RunCount>();
  for (const run of runs) {
    const group = {
      ...(by.has('status') && { status: statusAt(now, run) }),
      ...(by.has('flowid') && { flowid: run.flowid }),
    };
    const key = `${group.status} ${group.flowid}`;
    groups.set(key, { ...group, runs: (groups.get(key)?.runs ?? 0) + 1 });
  }
  return [...groups.values()].sort((left, right) => right.runs - left.runs);
}
