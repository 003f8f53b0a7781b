// Which runs have repeated or forked a run: its header names the first of them. Lists by `replay_of` and `fork_of` read
// that header and theirs, so what they read is bounded, however many runs the workspace has.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { updateItemIf } from '#lib/dynamo/items.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import type { Log } from '#lib/log.ts';
import { logRunError } from './end.ts';
import { readRunAttributes } from './read-runs.ts';
import { rerunsMax, runKey, type StoredRun, storedRun } from './stored-run.ts';

/** The new run exists, whether or not the other can name it. */
export async function noteRerun(
  run: StoredRun,
  list: 'replays' | 'forks',
  rerun: string,
  log: Log,
): Promise<void> {
  try {
    await updateItemIf(runsTable, runKey(run.run_id), {
      UpdateExpression: 'SET #list = list_append(if_not_exists(#list, :none), :one)',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(#list) OR size(#list) < :max)',
      ExpressionAttributeNames: { '#list': list },
      ExpressionAttributeValues: { ':none': [], ':one': [rerun], ':max': rerunsMax },
    });
  } catch (error) {
    logRunError(log, `${list} not noted`, run, error);
  }
}

/** The runs that have been repeated, forked, or both. */
export interface Reruns {
  readonly replay_of?: string | undefined;
  readonly fork_of?: string | undefined;
}

const original = /* @__PURE__ */ z.lazy(() =>
  built(storedRun)
    .pick({ orgid: true, workspaceid: true, replays: true, forks: true })
    .extend({ pk: z.string() }),
);

/** Of a run that is missing, has expired or is of another workspace: none. One call. */
export async function readRerunIds(
  { orgid, workspaceid }: WorkspaceScope,
  { replay_of, fork_of }: Reruns,
): Promise<readonly string[]> {
  const asked = [replay_of, fork_of].filter((id) => id !== undefined);
  const items = await readRunAttributes([...new Set(asked)], Object.keys(built(original).shape));
  const originals = items
    .map((item) => original.parse(item))
    .filter((run) => run.orgid === orgid && run.workspaceid === workspaceid);
  const find = (id: string) => originals.find(({ pk }) => pk === runKey(id).pk);
  const named = [
    ...(replay_of === undefined ? [] : [find(replay_of)?.replays ?? []]),
    ...(fork_of === undefined ? [] : [find(fork_of)?.forks ?? []]),
  ];
  return (named[0] ?? []).filter((id) => named.every((ids) => ids.includes(id)));
}
