// Values that outlive a run (`store` nodes), over HTTP: what one run writes, the next reads; nobody else does.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { requireEnv } from '#lib/env.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const database = DynamoDBDocumentClient.from(new DynamoDBClient());
const key = '{{ input.message }}';

/** Adds one to a counter, again until no other run was faster. */
const counting = flow({
  start: 'read',
  nodes: {
    read: { type: 'store', get: key, next: 'write' },
    write: {
      type: 'store',
      put: key,
      value: { n: '{{ nodes.read.found ? nodes.read.value.n + 1 : 1 }}', by: 'canary-of-values' },
      if_version: '{{ nodes.read.version }}',
      catch: [{ on: ['store.conflict'], next: 'read' }],
      next: 'done',
    },
    done: {
      type: 'end',
      output: { before: '{{ nodes.read.value.n }}', version: '{{ nodes.write.version }}' },
    },
  },
});

async function count(agent: TestAgent, message: string, environment = 'live') {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment };
  const { status, body } = await call('triggerFlow', { key: agent.key, params, body: { message } });
  expect(status).toBe(200);
  return body;
}
const countBefore = async (...args: Parameters<typeof count>) => (await count(...args)).response.before;

const partition = ({ orgid, workspaceid, flowid }: TestAgent, environment = 'live') =>
  `MEMORY#${orgid}#${workspaceid}#${flowid}#${environment}`;

async function readItems(pk: string) {
  const { Items = [] } = await database.send(
    new QueryCommand({
      TableName: requireEnv('RUNS_TABLE'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    }),
  );
  return Items;
}

test('what a run writes, the next reads, by key', async () => {
  const agent = await liveAgent({ flow: counting });
  expect([await countBefore(agent, 'a'), await countBefore(agent, 'a')]).toEqual([null, 1]);
  expect([await countBefore(agent, 'b'), await countBefore(agent, 'a')]).toEqual([null, 2]);
});

test('runs that count at the same time count all', async () => {
  const agent = await liveAgent({ flow: counting });
  await Promise.all(Array.from({ length: 6 }, () => count(agent, 'a')));
  expect(await countBefore(agent, 'a')).toBe(6);
});

describe('a value is not seen', () => {
  test('by a build under test', async () => {
    const agent = await liveAgent({ flow: counting });
    await newRow(agent, { flowid: agent.flowid, flow: counting });
    await count(agent, 'a');
    expect(await countBefore(agent, 'a', 'test')).toBeNull();
    expect(await countBefore(agent, 'a')).toBe(1);
  });

  test('by another flow, workspace or organisation, also of the same flowid', async () => {
    const agent = await liveAgent({ flow: counting });
    await count(agent, 'a');
    const { flowid } = agent;
    expect(await countBefore(await liveAgent({ flow: counting }, agent), 'a')).toBeNull();
    const otherWorkspace = await newCaller({ orgid: agent.orgid });
    for (const other of [otherWorkspace, await newCaller()])
      expect(await countBefore(await liveAgent({ flow: counting, flowid }, other), 'a')).toBeNull();
  });

  test('in the table: it is encrypted, bound to its key, and expires', async () => {
    const agent = await liveAgent({ flow: counting });
    await count(agent, 'a');
    await count(agent, 'b');
    const [a, b] = await readItems(partition(agent));
    expect(a).toMatchObject({ sk: 'VALUE#a', content: expect.any(Uint8Array) });
    expect(Buffer.from(a?.content).includes('canary-of-values')).toBe(false);
    expect(a?.ttl - Date.now() / 1000).toBeGreaterThan(29 * 86_400);
    // The value of one key under another.
    await set(agent, 'VALUE#b', 'content', a?.content);
    const moved = await count(agent, 'b');
    expect(moved.error).toContain('unexpectedly');
    expect(b?.content).not.toEqual(a?.content);
  });
});

test('a value that has expired is gone before DynamoDB removes it', async () => {
  const agent = await liveAgent({ flow: counting });
  await count(agent, 'a');
  await set(agent, 'VALUE#a', 'ttl', Math.floor(Date.now() / 1000) - 1);
  expect([await countBefore(agent, 'a'), await countBefore(agent, 'a')]).toEqual([null, 1]);
});

const set = async (agent: TestAgent, sk: string, attribute: string, value: unknown) =>
  await database.send(
    new UpdateCommand({
      TableName: requireEnv('RUNS_TABLE'),
      Key: { pk: partition(agent), sk },
      UpdateExpression: 'SET #attribute = :value',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
