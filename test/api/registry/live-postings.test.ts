// The postings by which the search finds a flow, whatever becomes of its live build.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { requireEnv } from '#lib/env.ts';
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { livePartition, livePostingKeys } from '#lib/registry/search-index/live-postings.ts';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The postings of a word among the agents of an organisation. */
async function readPostings(orgid: string, word: string): Promise<string[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: requireEnv('CONTROL_TABLE'),
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :word)',
      ExpressionAttributeValues: { ':pk': livePartition({ orgid }, word), ':word': `${word}#` },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ sk }) => String(sk));
}

const newWord = () => unique('w').replace('_', '');
const build = async (caller: TestCaller, word: string, flowid?: string) =>
  await newRow(caller, { agent_card: card({ name: word }), ...(flowid !== undefined && { flowid }) });
const searchId = async ({ a2aregistryid }: RegistryRow) => (await readRow(a2aregistryid))?.search_id;

test('a promotion of a build with the same words writes no posting', async () => {
  const caller = await newCaller();
  const word = newWord();
  const first = await build(caller, word);
  await promoted(caller, first);
  const before = await readPostings(caller.orgid, word);
  const second = await build(caller, word, first.flowid);
  await promoted(caller, second);
  expect(await readPostings(caller.orgid, word)).toEqual(before);
  expect(await searchId(second)).toBe(await searchId(first));
});

test('a promotion of a build with other words deletes those of the former one, and a deletion all', async () => {
  const caller = await newCaller();
  const [old, young] = [newWord(), newWord()];
  const first = await build(caller, old);
  await promoted(caller, first);
  const second = await build(caller, young, first.flowid);
  await promoted(caller, second);
  expect(await readPostings(caller.orgid, old)).toEqual([]);
  expect(await readPostings(caller.orgid, young)).toHaveLength(1);
  await call('deleteRegistryRow', {
    key: caller.key,
    params: { a2aregistryid: second.a2aregistryid },
  });
  expect(await readPostings(caller.orgid, young)).toEqual([]);
});

test('after concurrent promotions, updates and rollbacks the live build has all of its postings, and no other build any', async () => {
  const caller = await newCaller();
  const words = [newWord(), newWord(), newWord()];
  const [first = '', ...others] = words;
  const rows = [await build(caller, first)];
  for (const word of others) rows.push(await build(caller, word, rows[0]?.flowid));
  const change = async (row: RegistryRow, n: number) => {
    const params = { a2aregistryid: row.a2aregistryid };
    const agent_card = card({ name: `${words[n % words.length]} again` });
    if (n % 3 === 0) await call('promoteRegistryRow', { key: caller.key, params });
    else if (n % 3 === 1) await call('updateRegistryRow', { key: caller.key, params, body: { agent_card } });
    else await call('rollBackRegistryRow', { key: caller.key, params });
  };
  for (let round = 0; round < 6; round += 1)
    await Promise.all(rows.flatMap((row, n) => [change(row, n + round), change(row, round)]));
  const [row] = rows;
  if (!row) throw new Error('There is a build.');
  await promoted(caller, row);
  const stored = await readRow(row.a2aregistryid);
  if (!stored) throw new Error('There is a row.');
  const keys = livePostingKeys(stored).map(({ sk }) => sk);
  expect(keys.length).toBeGreaterThan(0);
  const found: string[] = [];
  const all = new Set([...words, ...keys.map((sk) => sk.split('#')[0] ?? '')]);
  for (const word of all) found.push(...(await readPostings(caller.orgid, word)));
  expect(found.toSorted()).toEqual(keys.toSorted());
});
