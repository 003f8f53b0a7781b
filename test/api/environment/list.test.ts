import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { setting } from '#test/support/triggers.ts';

const list = async ({ key, workspaceid }: TestAgent, headers = {}) =>
  await call('listEnvironments', { key, query: { workspaceid }, headers });

describe('200', () => {
  test('lists the environments of the workspace that have settings', async () => {
    const agent = await liveAgent();
    expect((await list(agent)).body.items).toEqual([]);
    const set = [await setting(agent, 'dev', {}), await setting(agent, 'uat', { env: { A: '1' } })];
    expect((await list(agent)).body.items).toEqual(set.map(({ body }) => body));
    expect((await list({ ...agent, workspaceid: unique('ws') })).body.items).toEqual([]);
  });
});

describe('304', () => {
  test('a caller who has the current list gets no body', async () => {
    const agent = await liveAgent();
    const etag = (await list(agent)).headers.get('etag') ?? '';
    expect((await list(agent, { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('403', () => {
  test('a key for other workspaces', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    expect((await list({ ...agent, key })).problem.code).toBe('permission_denied');
  });
});
