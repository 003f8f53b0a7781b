// What a flow has stored beyond its runs, as a list.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { requireEnv } from '#lib/env.ts';
import { writeMemoryId } from '#lib/memory/memory-entry.ts';
import { agentUrls, officialClient } from '#test/support/a2a.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { listAll, listPage, rememberingFlow, say, storeBy, storingAgent } from '#test/support/memory.ts';

describe('200', () => {
  test('a value is listed with its key, size and times, and without its content', async () => {
    const agent = await storingAgent(['visits/42']);
    const { body } = await listPage(agent);
    expect(body).toEqual({
      items: [
        {
          memory_id: writeMemoryId({ space: 'value', key: 'visits/42' }),
          kind: 'value',
          key: 'visits/42',
          bytes: expect.any(Number),
          updated_at: expect.any(String),
          expires_at: expect.any(String),
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('canary');
    const [{ updated_at = '', expires_at = '' } = {}] = body.items;
    const days = (Date.parse(expires_at) - Date.parse(updated_at)) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
  });

  test('the conversation of an A2A context is listed with its context and its caller', async () => {
    const agent = await liveAgent({ flow: rememberingFlow(), visibility: 'public' });
    const [own, stranger] = [agent, await newCaller()];
    for (const { key } of [own, stranger])
      await say(await officialClient(agentUrls(agent).agent, key), 'Hello', 'talk');
    const items = await listAll(agent);
    expect(items).toHaveLength(2);
    for (const item of items) expect(item).toMatchObject({ kind: 'context', context_id: 'talk' });
    // The caller of another organisation is not named.
    expect(items.flatMap(({ created_by }) => created_by ?? [])).toEqual([own.id]);
    expect(items.every((item) => !('key' in item))).toBe(true);
  });

  test('the conversation of a key is listed under its key', async () => {
    const agent = await liveAgent({ flow: rememberingFlow({ key: 'channel 7' }) });
    await say(await officialClient(agentUrls(agent).agent, agent.key), 'Hello', 'talk');
    expect(await listAll(agent)).toMatchObject([{ kind: 'conversation', key: 'channel 7' }]);
    expect((await listPage(agent, { kind: 'value' })).body.items).toEqual([]);
    expect((await listPage(agent, { kind: 'conversation' })).body.items).toHaveLength(1);
  });

  test('the pages together are the whole list, and the last one has no cursor', async () => {
    const keys = ['a', 'b', 'c/d', 'e#f', 'ä€𝄞'];
    const agent = await storingAgent(keys);
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined;
    const sizes: number[] = [];
    do {
      const { body, headers } = await listPage(agent, { limit: '2', ...(cursor && { cursor }) });
      seen.push(...body.items.map(({ key }) => key));
      sizes.push(body.items.length);
      cursor = body.nextCursor;
      expect(headers.has('link')).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(seen).toEqual(keys);
    expect(sizes).toEqual([2, 2, 1]);
    expect((await listPage(agent, { limit: '5' })).body).not.toHaveProperty('nextCursor');
  });

  test('what has expired is not listed, before DynamoDB removes it', async () => {
    const agent = await storingAgent(['old', 'young']);
    const { orgid, workspaceid, flowid } = agent;
    await DynamoDBDocumentClient.from(new DynamoDBClient()).send(
      new UpdateCommand({
        TableName: requireEnv('RUNS_TABLE'),
        Key: { pk: `MEMORY#${orgid}#${workspaceid}#${flowid}#live`, sk: 'VALUE#old' },
        UpdateExpression: 'SET #ttl = :ttl',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':ttl': Math.floor(Date.now() / 1000) - 1 },
      }),
    );
    expect((await listAll(agent)).map(({ key }) => key)).toEqual(['young']);
  });

  test('another flow, environment, workspace or organisation has nothing of it', async () => {
    const agent = await storingAgent(['a']);
    const otherWorkspace = await newCaller({ orgid: agent.orgid });
    const other = await newCaller();
    expect(await listAll(agent, 'test')).toEqual([]);
    expect(await listAll({ ...agent, flowid: unique('flow') })).toEqual([]);
    expect(await listAll({ ...agent, ...otherWorkspace })).toEqual([]);
    expect(await listAll({ ...agent, key: other.key })).toEqual([]);
    expect(await listAll(agent, 'prod')).toHaveLength(1);
  });

  test('what a flow stored stays in the list when its builds are deleted', async () => {
    const agent = await storingAgent(['a']);
    const { a2aregistryid } = agent;
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid } });
    expect(await listAll(agent)).toHaveLength(1);
  });
});

describe('400', () => {
  test('a cursor of another environment', async () => {
    const agent = await storingAgent(['a']);
    await storeBy(agent, 'b');
    const { nextCursor = '' } = (await listPage(agent, { limit: '1' })).body;
    const { problem } = await listPage(agent, { cursor: nextCursor }, 'test');
    expect(problem.errors?.[0]?.pointer).toBe('/query/cursor');
  });
});
