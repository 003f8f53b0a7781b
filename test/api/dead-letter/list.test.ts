import { describe, expect, test } from 'vitest';
import { insertRun } from '#lib/run/run-items.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';

/** A workspace with so many events that can never be run. */
async function withLetters(count: number) {
  const caller = await newCaller();
  const flowid = unique('flow');
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
    ids.push(message.triggerId);
    await deliver(JSON.stringify(message));
  }
  await idle();
  return { caller, flowid, ids: ids.sort() };
}

describe('200', () => {
  test('an event that could not be run is listed with the reason', async () => {
    const { caller, flowid, ids } = await withLetters(1);
    const { body } = await call('listDeadLetters', {
      key: caller.key,
      query: { workspaceid: caller.workspaceid },
    });
    expect(body.items).toMatchObject([
      { id: ids[0], flowid, attempts: 1, reason: `The flow ${flowid} has no live build.` },
    ]);
  });

  test('a letter whose run has ended leaves the list, and pages are still full', async () => {
    const { caller, ids } = await withLetters(4);
    const [first = '', second = '', third = '', fourth = ''] = ids;
    const { orgid, workspaceid } = caller;
    const place = { orgid, workspaceid, ttl: 2e9 };
    await insertRun(run({ ...place, run_id: first, status: 'completed' }));
    await insertRun(run({ ...place, run_id: third, status: 'working' }));
    const query = { workspaceid, limit: '2' };
    const { body } = await call('listDeadLetters', { key: caller.key, query });
    expect(body.items.map(({ id }) => id)).toEqual([second, third]);
    const next = { ...query, cursor: body.nextCursor ?? '' };
    const rest = (await call('listDeadLetters', { key: caller.key, query: next })).body;
    expect(rest.items.map(({ id }) => id)).toEqual([fourth]);
    expect(rest.nextCursor).toBeUndefined();
  });

  test('the pages together are the whole list', async () => {
    const { caller, ids } = await withLetters(5);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { workspaceid: caller.workspaceid, limit: '2', ...(cursor !== undefined && { cursor }) };
      const { body, headers } = await call('listDeadLetters', { key: caller.key, query });
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
      expect(headers.has('link')).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
  });

  test('another organisation with a workspace of the same name sees none of them', async () => {
    const { caller } = await withLetters(1);
    const { key } = await newCaller();
    const { body } = await call('listDeadLetters', { key, query: { workspaceid: caller.workspaceid } });
    expect(body).toEqual({ items: [] });
  });
});

describe('400', () => {
  test('a cursor of another workspace', async () => {
    const { caller } = await withLetters(2);
    const first = { workspaceid: caller.workspaceid, limit: '1' };
    const { nextCursor = '' } = (await call('listDeadLetters', { key: caller.key, query: first })).body;
    const query = { workspaceid: unique('ws'), cursor: nextCursor };
    const { problem } = await call('listDeadLetters', { key: caller.key, query });
    expect(problem.errors?.[0]?.pointer).toBe('/query/cursor');
  });
});

describe('403', () => {
  test('a key for another workspace', async () => {
    const { key } = await newCaller({ workspaces: [unique('ws')] });
    const { problem } = await call('listDeadLetters', { key, query: { workspaceid: unique('ws') } });
    expect(problem.code).toBe('permission_denied');
  });
});
