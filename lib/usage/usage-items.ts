// The counters of what models have used, in the runs table: one item for each day, flow, key and model of a workspace.
// They are changed in the transaction that stores the event of a run which has the usage, so each call of a model
// counts exactly once, whatever is repeated or killed.
import { hash } from 'node:crypto';
import { boundedMap } from '#lib/bounded-map.ts';
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import type { Usage } from '#lib/model/usage.ts';
import { nanoPerDollar } from './budget-state.ts';

/** Who has used a model: of a caller of another organisation, nothing is kept. */
export interface UsageOwner extends WorkspaceScope {
  readonly flowid: string;
  readonly key: string | undefined;
}

export interface UsageFigures {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cache_write: number;
  /** Billionths of a US dollar, as whole numbers add up without error. */
  readonly cost_nano: number;
  /** Calls of models without a price. */
  readonly unpriced: number;
}

export const usageMonthsKept = 13;
const keptSeconds = (usageMonthsKept + 1) * 31 * 86_400;

export const usagePartition = ({ orgid, workspaceid }: WorkspaceScope, month: string) =>
  `USAGE#${orgid}#${workspaceid}#${month}`;
/** Lists the workspaces that have counters in a month. */
export const directoryKey = ({ orgid, workspaceid }: WorkspaceScope, month: string) => ({
  pk: `USAGE#${orgid}`,
  sk: `${month}#${workspaceid}`,
});

/**
 * Counters are split in so many items at most. A process changes the first one until it meets another writer, and
 * another one after that, so only those that are written at the same time are split.
 */
const shards = 16;
let shard = 0;
const changeShard = (): void => {
  shard = Math.floor(Math.random() * shards);
};

/** More models of one event are counted together: a transaction has at most 100 actions. */
const modelsMax = 20;
const otherModels = 'other';

/** The directory entries that this process has written. */
const listed = boundedMap<string, true>({ entriesMax: 1_000 });

export interface UsageWrite {
  readonly actions: readonly TransactionAction[];
  /** Call it once the transaction is stored, or has met another writer. */
  readonly settle: (isStored: boolean) => void;
}

/** `used` are the calls that one event of a run records, and `at` is its time. */
export function countUsage(owner: UsageOwner, used: readonly Usage[], at: string): UsageWrite {
  const day = at.slice(0, 10);
  const month = day.slice(0, 7);
  const ttl = Math.floor(Date.parse(`${day}T00:00:00Z`) / 1_000) + keptSeconds;
  const entry = directoryKey(owner, month);
  const entryId = `${entry.pk} ${entry.sk}`;
  const counted = [...sumByModel(used)].map(([model, sums]) =>
    addToCounter(owner, { ...sums, day, model }, ttl),
  );
  const actions = listed.get(entryId) ? counted : [...counted, putEntry(entry, ttl)];
  return {
    actions,
    settle: (isStored) => {
      if (!isStored) changeShard();
      else listed.set(entryId, true);
    },
  };
}

function sumByModel(used: readonly Usage[]): Map<string, UsageFigures> {
  const sums = new Map<string, UsageFigures>();
  for (const usage of used) {
    const name = sums.has(usage.model) || sums.size < modelsMax ? usage.model : otherModels;
    sums.set(name, addFigures(sums.get(name), toFigures(usage)));
  }
  return sums;
}

const toFigures = ({ input, output, cached = 0, cache_write = 0, cost }: Usage): UsageFigures => ({
  calls: 1,
  input,
  output,
  cached,
  cache_write,
  cost_nano: Math.round((cost ?? 0) * nanoPerDollar),
  unpriced: cost === undefined ? 1 : 0,
});

export const toDollars = (costNano: number): number => costNano / nanoPerDollar;

const noFigures = { calls: 0, input: 0, output: 0, cached: 0, cache_write: 0, cost_nano: 0, unpriced: 0 };
const names = Object.keys(noFigures) as (keyof UsageFigures)[];

export function addFigures(sum: UsageFigures | undefined, more: UsageFigures): UsageFigures {
  const total = { ...(sum ?? noFigures) };
  for (const name of names) total[name] += more[name];
  return total;
}

interface Counted extends UsageFigures {
  /** Such as `2026-11-28`, in UTC. */
  readonly day: string;
  readonly model: string;
}

function addToCounter(owner: UsageOwner, counted: Counted, ttl: number): TransactionAction {
  const { flowid, key } = owner;
  const { day, model } = counted;
  // The model and the key may have any length, and a sort key may not.
  const id = hash('sha256', JSON.stringify([flowid, key ?? null, model]), 'base64url').slice(0, 22);
  const labels: Readonly<Record<string, unknown>> = {
    day,
    flowid,
    ...(key !== undefined && { key }),
    model,
    ttl,
  };
  const labelNames = Object.keys(labels);
  const all = [...labelNames, ...names];
  return {
    Update: {
      Key: { pk: usagePartition(owner, day.slice(0, 7)), sk: `${day}#${id}#${shard}` },
      UpdateExpression: [
        `SET ${labelNames.map((name) => `#${name} = :${name}`).join(', ')}`,
        `ADD ${names.map((name) => `#${name} :${name}`).join(', ')}`,
      ].join(' '),
      ExpressionAttributeNames: Object.fromEntries(all.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        all.map((name) => [`:${name}`, { ...counted, ...labels }[name]]),
      ),
    },
  };
}

const putEntry = (Key: { readonly pk: string; readonly sk: string }, ttl: number): TransactionAction => ({
  Update: {
    Key,
    UpdateExpression: 'SET #ttl = :ttl',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':ttl': ttl },
  },
});
