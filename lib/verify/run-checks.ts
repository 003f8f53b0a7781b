// The checks of runs: their logs, what is encrypted in them, and what stands beside them.

import { decryptBody, decryptPreview } from '#lib/dead-letter/encrypted-letter.ts';
import { storedPushConfig } from '#lib/delivery/push-config.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { decrypt } from '#lib/envelope.ts';
import { identify } from '#lib/inventory/identify.ts';
import { collectChunks, keyOf, type StoredItem } from '#lib/inventory/partitions.ts';
import { sealedValues } from '#lib/inventory/sealed-values.ts';
import { letterPartition, storedDeadLetter, workspacesKey } from '#lib/run/dead-letter.ts';
import { snapshotContext, snapshotItem } from '#lib/run/run-snapshot.ts';
import { unpackEnd } from '#lib/run/stored-end.ts';
import { eventItem, isFinal, parseRun, type StoredRun } from '#lib/run/stored-run.ts';
import { openAll } from './access-checks.ts';
import { agrees, type Check } from './check.ts';

const unless = (isWell: boolean, item: StoredItem) => (isWell ? agrees : [keyOf(item)]);

/** DynamoDB deletes the items of a run that has expired one after the other. */
const isExpired = (item: Readonly<Record<string, unknown>>, now: number): boolean =>
  item.ttl !== undefined && Number(item.ttl) * 1_000 <= now;

export const runChecks = {
  'run-log': {
    what: 'the log of a run has no gaps and ends with the state of its header',
    cure: 'Restore the partition of the run from point-in-time recovery, or leave it to expire. A run that is not over fails at its deadline by itself.',
    on: ['run'],
    find: async ({ item, group, now }) => {
      const run = parseRun(item);
      if (isExpired(run, now)) return agrees;
      const events = group.items.filter(({ sk }) => sk.startsWith('E#')).map((each) => eventItem.parse(each));
      const end = await unpackEnd(run);
      const all = end ? [...events, end] : events;
      const isWhole = all.length === run.generation && all.every(({ generation }, n) => generation === n + 1);
      const hasEnd = !isFinal(run.status) || (run.ended_at !== undefined && run.generation > 0);
      const last = all.at(-1);
      return unless(isWhole && hasEnd && (!last || last.status === run.status), item);
    },
  },
  'run-part': {
    what: 'what belongs to a run has a run',
    cure: 'None is needed: without its header nothing reads it, and it expires (`ttl`).',
    on: ['run event', 'snapshot', 'kept values', 'callback', 'push configuration'],
    find: async ({ item, group, now }) => {
      const hasHeader = group.items.some(({ sk }) => sk === 'HEAD');
      // Once for each run.
      return unless(hasHeader || isExpired(item, now) || group.items[0] !== item, item);
    },
  },
  'run-data': {
    what: 'inputs, answers, kept values and targets of a run decrypt',
    cure: 'Start the run again with its input, if its caller has it. If many runs are found, the key or the tenant id is not that of the tables.',
    on: ['run'],
    opens: true,
    find: async ({ item, group, now }) => {
      const run = parseRun(item);
      if (isExpired(run, now)) return agrees;
      for (const each of group.items) {
        const known = identify('runs', each);
        for (const { open } of known ? sealedValues(known, each, run) : []) await open();
      }
      return agrees;
    },
  },
  'run-snapshot': {
    what: 'the snapshots of a run are complete and decrypt, and so are its large responses',
    cure: 'A run that is over needs no snapshot. One that is not fails when it resumes: cancel it, and start it again.',
    on: ['run'],
    opens: true,
    find: async ({ item, group, now }) => {
      const run = parseRun(item);
      if (isExpired(run, now)) return agrees;
      const isWhole = (await openSnapshots(run, group.items)) && (await hasResponse(run, group.items));
      return unless(isWhole, item);
    },
  },
  'push-count': {
    what: 'a task counts as many push notification configurations as it has',
    cure: 'Delete the configurations of the task through A2A and set them again.',
    on: ['run'],
    find: async ({ item, group, now }) => {
      const { push_configs = 0 } = parseRun(item);
      const found = group.items.filter(({ sk }) => sk.startsWith('PUSH#'));
      for (const each of found) storedPushConfig.parse(each);
      return unless(isExpired(item, now) || found.length === push_configs, item);
    },
  },
  'dead-letter': {
    what: 'a dead letter decrypts, and is found by its id and by its workspace',
    cure: 'Restore the items of the letter from point-in-time recovery, or put the item that names its workspace with `aws dynamodb put-item`.',
    on: ['dead letter'],
    opens: true,
    find: async ({ item, now }) => {
      if (isExpired(item, now)) return agrees;
      const letter = storedDeadLetter.parse(item);
      const scope = letterPartition(letter).slice(workspacesKey.length);
      const [place, workspace] = await Promise.all([
        getItem(runsTable, { pk: `${workspacesKey}${letter.orgid}`, sk: letter.id }),
        getItem(runsTable, { pk: workspacesKey, sk: scope }),
      ]);
      if (place?.workspaceid !== letter.workspaceid || !workspace) return [keyOf(item)];
      if (letter.body) await decryptBody(letter);
      await decryptPreview(letter);
      return agrees;
    },
  },
  'stored-data': {
    what: 'files, events and values that outlive runs decrypt',
    cure: 'Delete the value (`DELETE /api/v1/memory/{id}`) or the file; events expire after a day.',
    on: ['file', 'sent event', 'stored value'],
    opens: true,
    find: async ({ item, known }) => await openAll({ item, known }),
  },
} as const satisfies Readonly<Record<string, Check>>;

/** False when a chunk is missing. Rejects if one does not decrypt. */
async function openSnapshots(run: StoredRun, items: readonly StoredItem[]): Promise<boolean> {
  const stored = items.find(({ sk }) => sk === 'SNAP');
  const { bytes, chunks } = stored ? snapshotItem.parse(stored) : {};
  const series = [
    ...(stored
      ? [bytes ?? (chunks && collectChunks(items, `SNAPCHUNK#${chunks.place}#`, chunks.count))]
      : []),
    ...(run.fork ? [collectChunks(items, 'SNAPFIRST#', run.fork.chunks)] : []),
  ];
  for (const encrypted of series) {
    if (!encrypted) return false;
    await decrypt(encrypted, snapshotContext(run));
  }
  return true;
}

async function hasResponse(run: StoredRun, items: readonly StoredItem[]): Promise<boolean> {
  const end = await unpackEnd(run);
  const events = items.filter(({ sk }) => sk.startsWith('E#')).map((each) => eventItem.parse(each));
  return [...events, ...(end ? [end] : [])].every(
    ({ response_chunks: chunks }) =>
      !chunks || collectChunks(items, `RESPONSE#${chunks.place}#`, chunks.count) !== undefined,
  );
}
