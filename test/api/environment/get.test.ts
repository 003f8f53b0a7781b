import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { readETag, setting } from '#test/support/triggers.ts';

const get = async ({ key, workspaceid }: TestAgent, environment: string, headers = {}) =>
  await call('getEnvironment', { key, params: { environment }, query: { workspaceid }, headers });

describe('200', () => {
  test('returns the settings, under each name of the environment', async () => {
    const agent = await liveAgent();
    const { body } = await setting(agent, 'live', { env: { A: '1' } });
    for (const name of ['live', 'prod', 'PROD']) expect((await get(agent, name)).body).toEqual(body);
  });
});

describe('304', () => {
  test('a caller who has the current version gets no body', async () => {
    const agent = await liveAgent();
    const etag = readETag(await setting(agent, 'dev', {}));
    expect((await get(agent, 'dev', { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('404', () => {
  test('an environment without settings in this workspace of this organisation', async () => {
    const agent = await liveAgent();
    await setting(agent, 'uat', {});
    expect((await get(agent, 'dev')).problem.code).toBe('environment_not_found');
    const stranger = { ...agent, key: (await newCaller()).key };
    expect((await get(stranger, 'uat')).problem.code).toBe('environment_not_found');
  });
});
