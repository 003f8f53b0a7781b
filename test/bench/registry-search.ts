// Measures discovery by the number of agents that a caller may see: the first search of a process, later ones, and what
// they read; beside the same calls to DynamoDB without the search.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { beginningOf, postingsMax } from '#lib/discovery/live-words.ts';
import { parseQuestion } from '#lib/discovery/question.ts';
import { type Hit, search } from '#lib/discovery/search.ts';
import { documents as searchClient } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { newRegistryId } from '#lib/ids.ts';
import { flowKey, rowKey } from '#lib/registry/row/row-items.ts';
import { livePartition } from '#lib/registry/search-index/live-postings.ts';
import { putLive } from '#test/support/live-agents.ts';
import { sampleAgents } from '#test/support/sample-agents.ts';
import { type Row, toFigure } from './row.ts';

const questions = [
  'where is my order',
  'translate a document into German',
  'review a pull request',
  'support',
];
const [firstQuestion = ''] = questions;
const repetitions = 5;
/** In the median of the questions, whatever the number of agents. */
const readUnitsMax = 40;
/** One more than a page. */
const shown = 11;

export async function searchRows(sizes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const caller: Caller = {
      id: 'key_bench',
      orgid: `org_search_${size}`,
      workspaces: '*',
      scopes: new Set(),
    };
    await fill(caller.orgid, size);
    const [first] = await timed(caller, firstQuestion);
    const later: number[] = [];
    const bare: number[] = [];
    const units: number[] = [];
    for (const q of Array.from({ length: repetitions }, () => questions).flat()) {
      const [ms, hits] = await timed(caller, q);
      later.push(ms);
      bare.push(await timeCalls(caller, q, hits));
    }
    for (const q of questions) units.push(await meterReads(async () => await search(caller, { q })));
    rows.push(
      {
        what: `search, ${size} agents, first of a process`,
        unit: 'ms',
        ours: toFigure([first]),
      },
      { what: `search, ${size} agents`, unit: 'ms', ours: toFigure(later), limit: toFigure(bare) },
      { what: `search, ${size} agents`, unit: 'read units', ours: toFigure(units), budget: readUnitsMax },
    );
  }
  return rows;
}

async function timed(caller: Caller, q: string): Promise<readonly [ms: number, hits: readonly Hit[]]> {
  const start = performance.now();
  const { hits } = await search(caller, { q });
  return [performance.now() - start, hits];
}

let metered: { units: number } | undefined;

/** The read units that some work takes, as DynamoDB reports them. */
async function meterReads(work: () => Promise<unknown>): Promise<number> {
  const meter = { units: 0 };
  metered = meter;
  await work();
  metered = undefined;
  return meter.units;
}

searchClient.middlewareStack.add(
  (next) => async (args) => {
    if (!metered) return await next(args);
    const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
    const { ConsumedCapacity } = consumed.parse(result.output);
    for (const { CapacityUnits } of [ConsumedCapacity].flat()) metered.units += CapacityUnits;
    return result;
  },
  { name: 'meterReads', step: 'initialize' },
);

const capacity = z.looseObject({ CapacityUnits: z.number() });
const consumed = z.looseObject({ ConsumedCapacity: z.union([capacity, z.array(capacity)]) });

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The calls that a search makes, without what it makes of their answers. */
async function timeCalls({ orgid }: Caller, q: string, hits: readonly Hit[]): Promise<number> {
  const TableName = requireEnv('CONTROL_TABLE');
  const readKeys = async (keys: readonly object[]) =>
    await documents.send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: keys.map((key) => ({ ...key })), ConsistentRead: true } },
      }),
    );
  const start = performance.now();
  await Promise.all(
    parseQuestion(q).words.flatMap((word) =>
      [{ orgid }, 'public' as const].map(
        async (scope) =>
          await documents.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: 'pk = :pk AND begins_with(sk, :beginning)',
              ExpressionAttributeValues: {
                ':pk': livePartition(scope, word),
                ':beginning': beginningOf(word),
              },
              Limit: postingsMax,
            }),
          ),
      ),
    ),
  );
  const found = hits.slice(0, shown).map(({ row }) => row);
  await readKeys(found.map(({ flowid, workspaceid }) => flowKey(flowid, orgid, workspaceid)));
  await readKeys(found.map(({ a2aregistryid }) => rowKey(a2aregistryid)));
  return performance.now() - start;
}

/** Forty different cards, and nothing else of a build but its row. */
async function fill(orgid: string, size: number): Promise<void> {
  await putLive(
    Array.from({ length: size }, (_, n) => {
      const sample = sampleAgents[n % sampleAgents.length];
      if (!sample) throw new Error('There are samples.');
      return {
        ...sample,
        ...{
          orgid,
          workspaceid: 'ws_bench',
          flowid: `flow-${n}`,
          status: 'live',
          visibility: 'organization',
        },
        ...{ a2aregistryid: newRegistryId(), search_id: newRegistryId() },
      } as const;
    }),
  );
}
