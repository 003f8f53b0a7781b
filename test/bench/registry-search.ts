// Measures discovery by the number of agents that a caller may see: the first search of a process, what is
// new for a later one, the ranking.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { rank } from '#lib/discovery/rank.ts';
import { loadCorpus } from '#lib/discovery/snapshot.ts';
import { requireEnv } from '#lib/env.ts';
import { toSearchDocument } from '#lib/registry/search-index/document.ts';
import { livePartition } from '#lib/registry/search-index/index-changes.ts';
import { sampleAgents } from '#test/support/sample-agents.ts';
import { type Row, toFigure } from './row.ts';

const questions = [
  'where is my order',
  'translate a document into German',
  'review a pull request',
  'support',
];

export async function searchRows(sizes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const partition = livePartition(`org_search_${size}`);
    await fill(partition, size);
    const [corpus, first] = await timed(() => loadCorpus(partition, Date.now()));
    const again: number[] = [];
    for (let n = 0; n < 20; n += 1) again.push((await timed(() => loadCorpus(partition, Date.now())))[1]);
    const ranked: number[] = [];
    for (const q of [...questions, ...questions, ...questions])
      ranked.push((await timed(async () => rank([corpus], q, () => true)))[1]);
    rows.push(
      { what: `search, ${size} agents, first of a process: read all`, unit: 'ms', ours: toFigure([first]) },
      { what: `search, ${size} agents: read what is new`, unit: 'ms', ours: toFigure(again) },
      { what: `search, ${size} agents: rank`, unit: 'ms', ours: toFigure(ranked) },
    );
  }
  return rows;
}

async function timed<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  return [await run(), performance.now() - start];
}

async function fill(partition: string, size: number): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const documents = sampleAgents.map(toSearchDocument);
  const items = Array.from({ length: size }, (_, n) => ({
    ...documents[n % documents.length],
    ...{ pk: partition, sk: `ws_bench#flow-${n}`, id: `reg_${n}` },
    ...{ gsi1pk: partition, gsi1sk: '2026-01-01T00:00:00.000Z' },
  }));
  for (let n = 0; n < size; n += 25) {
    const puts = items.slice(n, n + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [requireEnv('CONTROL_TABLE')]: puts } }));
  }
}
