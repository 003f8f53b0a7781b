import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { eventually } from '#test/support/runs.ts';
import { newTrigger } from '#test/support/triggers.ts';

const list = async ({ key, workspaceid }: TestAgent, query: Record<string, string> = {}, headers = {}) =>
  await call('listTriggers', { key, query: { workspaceid, ...query }, headers });
const idsIn = async (agent: TestAgent, query = {}) =>
  (await list(agent, query)).body.items.map(({ trigger_id }) => trigger_id);

async function three(): Promise<{ agent: TestAgent; ids: string[] }> {
  const agent = await liveAgent();
  const ids: string[] = [];
  for (const kind of ['api', 'webhook', 'api']) ids.unshift((await newTrigger(agent, { kind })).trigger_id);
  // The index lags behind by moments.
  await eventually(
    () => idsIn(agent),
    (found) => found.length === 3,
  );
  return { agent, ids };
}

describe('200', () => {
  test('lists triggers newest first, in pages without gaps', async () => {
    const { agent, ids } = await three();
    const first = await list(agent, { limit: '2' });
    expect(first.headers.get('link')).toContain('rel="next"');
    const second = await list(agent, { limit: '2', cursor: first.body.nextCursor ?? '' });
    expect([...first.body.items, ...second.body.items].map(({ trigger_id }) => trigger_id)).toEqual(ids);
    expect(second.body.nextCursor).toBeUndefined();
  });

  test('filters by kind and by flow', async () => {
    const { agent, ids } = await three();
    expect(await idsIn(agent, { kind: 'webhook' })).toEqual([ids[1]]);
    expect(await idsIn(agent, { flowid: agent.flowid })).toEqual(ids);
    expect(await idsIn(agent, { flowid: unique('flow') })).toEqual([]);
  });

  test('pages of the largest triggers fit into an answer that is escaped as a JSON string', async () => {
    const agent = await liveAgent();
    // 64 KiB of JSON each, which are twice as many bytes again once they are a text inside JSON.
    const message = '"'.repeat(32_700);
    const ids: string[] = [];
    for (let n = 0; n < 66; n += 1) ids.unshift((await newTrigger(agent, { message })).trigger_id);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await list(agent, { limit: '200', ...(cursor !== undefined && { cursor }) });
      found.push(...body.items.map(({ trigger_id }) => trigger_id));
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual(ids);
  });

  test('lists no trigger of another workspace or organisation', async () => {
    const { agent } = await three();
    expect(await idsIn({ ...agent, workspaceid: unique('ws') })).toEqual([]);
    expect(await idsIn({ ...agent, key: (await newCaller()).key })).toEqual([]);
  });
});

describe('304', () => {
  test('a caller who has the current page gets no body', async () => {
    const { agent } = await three();
    const etag = (await list(agent)).headers.get('etag') ?? '';
    expect((await list(agent, {}, { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('400', () => {
  test('a request without a workspace, and a cursor of another query', async () => {
    const { agent } = await three();
    const without = await call('listTriggers', { key: agent.key });
    expect(without.problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/workspaceid']);
    const cursor = (await list(agent, { limit: '1' })).body.nextCursor ?? '';
    const { problem } = await list(agent, { kind: 'api', cursor });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/cursor']);
  });
});

describe('403', () => {
  test('a key for other workspaces', async () => {
    const { agent } = await three();
    const { key } = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    expect((await list({ ...agent, key })).problem.code).toBe('permission_denied');
  });
});
