import { describe, expect, test } from 'vitest';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { namedBuild, readETag, setting } from '#test/support/triggers.ts';

const remove = async ({ key, workspaceid }: TestAgent, environment: string, headers = {}) =>
  await call('deleteEnvironment', { key, params: { environment }, query: { workspaceid }, headers });

describe('204', () => {
  test('the environment runs its default build again', async () => {
    const agent = await liveAgent();
    await namedBuild(agent, 'newest');
    const set = await setting(agent, 'uat', { pins: { [agent.flowid]: agent.a2aregistryid } });
    expect((await remove(agent, 'uat', { 'if-match': readETag(set) })).status).toBe(204);
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'uat' };
    const { body } = await call('triggerFlow', { key: agent.key, params, body: { message: '' } });
    expect(body.response.build).toBe('newest');
  });
});

describe('404', () => {
  test('an environment without settings', async () => {
    expect((await remove(await liveAgent(), 'uat')).problem.code).toBe('environment_not_found');
  });
});

describe('412', () => {
  test('a version other than the one in If-Match', async () => {
    const agent = await liveAgent();
    await setting(agent, 'uat', {});
    expect((await remove(agent, 'uat', { 'if-match': '"2"' })).problem.code).toBe('precondition_failed');
  });
});
