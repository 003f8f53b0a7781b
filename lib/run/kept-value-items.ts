// The items that hold the kept values of a run: each has a batch of executions as JSON, encrypted and bound to its item.
// They expire with the run.
import * as z from 'zod';
import { decryptCallerData, encryptCallerData } from '#lib/caller-data.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { type Item, putItem } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { type KeptExecution, keptExecution } from './kept-execution.ts';
import type { StoredRun } from './stored-run.ts';

type RunScope = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;

/** JSON of one item in bytes: DynamoDB allows 400 KB, also for values that cannot be compressed. */
export const batchBytesMax = 300_000;

const attribute = 'executions';
const prefix = 'VALUES#';

export interface Batch {
  /** Sorts after the names of earlier batches, and is unique in the run. */
  readonly name: string;
  /** The executions, as a JSON list. */
  readonly json: string;
}

/** One write of one item. */
export async function putBatch(run: RunScope & Pick<StoredRun, 'ttl'>, { name, json }: Batch): Promise<void> {
  const key = { pk: `RUN#${run.run_id}`, sk: `${prefix}${name}` };
  const encrypted = await encryptCallerData({ ...ownerOf(run), ...key, attribute }, json);
  await putItem(runsTable, { ...key, [attribute]: encrypted, ttl: run.ttl });
}

export interface FoundRecords {
  /** Those of the execution, or all, in the order in which they were written. */
  readonly records: readonly KeptExecution[];
  /** Whether the run has kept any values, also of other executions. */
  readonly hasOthers: boolean;
}

/** Reads all that the run has kept, some megabytes at most. */
export async function readRecords(run: RunScope, execution?: string): Promise<FoundRecords> {
  const items = await queryAll(runsTable, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': `RUN#${run.run_id}`, ':prefix': prefix },
    ConsistentRead: true,
  });
  const records: KeptExecution[] = [];
  for (const item of items) records.push(...(await findRecords(run, item, execution)));
  return { records, hasOthers: items.length > 0 };
}

const storedBatch = z.object({ pk: z.string(), sk: z.string(), [attribute]: z.instanceof(Uint8Array) });
const batch = z.array(z.looseObject({ execution: z.string() }));

/** Those of the execution, or all, in one item. */
async function findRecords(run: RunScope, item: Item, execution?: string): Promise<KeptExecution[]> {
  const { pk, sk, executions } = storedBatch.parse(item);
  const json = await decryptCallerData({ ...ownerOf(run), pk, sk, attribute }, executions);
  // Most batches of a large run do not have it, and need not be parsed.
  if (execution !== undefined && !json.includes(JSON.stringify(execution))) return [];
  const found = batch
    .parse(JSON.parse(json))
    .filter((each) => execution === undefined || each.execution === execution);
  return found.map((each) => keptExecution.parse(each));
}

const ownerOf = ({ orgid, workspaceid }: RunScope) => ({ orgid, workspaceid });
