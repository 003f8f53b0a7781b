import { describe, expect, test } from 'vitest';
import { readRun } from '#lib/run/run-items.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { namedBuild, readETag, setting } from '#test/support/triggers.ts';

const run = async (agent: TestAgent, environment: string) =>
  await call('triggerFlow', {
    key: agent.key,
    params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment },
    body: { message: '' },
  });
const built = async (agent: TestAgent, environment: string) =>
  (await run(agent, environment)).body.response.build;

describe('200', () => {
  test('returns the settings with a version that increases', async () => {
    const agent = await liveAgent();
    const body = { pins: { [agent.flowid]: agent.a2aregistryid }, env: { URL: 'https://example.com' } };
    const first = await setting(agent, 'UAT', body);
    expect(first.body).toEqual({
      environment: 'uat',
      workspaceid: agent.workspaceid,
      orgid: agent.orgid,
      ...body,
      version: 1,
      created_at: expect.any(String),
      updated_at: first.body.created_at,
      updated_by: agent.id,
    });
    const second = await setting(agent, 'uat', { pins: {} }, { 'if-match': readETag(first) });
    expect(second.body.version).toBe(2);
    expect(readETag(second)).not.toBe(readETag(first));
    expect(second.body).toMatchObject({ pins: {}, env: {}, created_at: first.body.created_at });
  });

  test('a pinned build runs only in that environment, and the others run the newest test build', async () => {
    const agent = await liveAgent();
    const pinned = await namedBuild(agent, 'pinned');
    await namedBuild(agent, 'newest');
    await setting(agent, 'uat', { pins: { [agent.flowid]: pinned.a2aregistryid } });
    expect(await built(agent, 'uat')).toBe('pinned');
    expect(await built(agent, 'dev')).toBe('newest');
    const { body } = await run(agent, 'uat');
    expect(await readRun(body.workflow_id)).toMatchObject({
      environment: 'uat',
      a2aregistryid: pinned.a2aregistryid,
    });
  });

  test('a pin takes effect at once, and remains when the build is promoted', async () => {
    const agent = await liveAgent();
    const [one, two] = [await namedBuild(agent, 'one'), await namedBuild(agent, 'two')];
    for (const [name, build] of [
      ['one', one],
      ['two', two],
      ['one', one],
    ] as const) {
      await setting(agent, 'test', { pins: { [agent.flowid]: build.a2aregistryid } });
      expect(await built(agent, 'test')).toBe(name);
    }
    await promoted(agent, one);
    expect(await built(agent, 'test')).toBe('one');
    expect(await built(agent, 'prod')).toBe('one');
  });

  test('its variables override those of the build, in that environment only', async () => {
    const agent = await liveAgent();
    await promoted(agent, await namedBuild(agent, 'b', { env_variable: { A: 'build', B: 'build' } }));
    await setting(agent, 'live', { env: { B: 'live', C: 'live' } });
    expect((await run(agent, 'prod')).body.response.env).toEqual({ A: 'build', B: 'live', C: 'live' });
    await namedBuild(agent, 'b', { env_variable: { A: 'build' } });
    await setting(agent, 'dev', { env: { A: 'dev' } });
    expect((await run(agent, 'dev')).body.response.env).toEqual({ A: 'dev' });
    expect((await run(agent, 'test')).body.response.env).toEqual({ A: 'build' });
  });

  test('its variables reach runs of the webhook and of A2A as well', async () => {
    const nodes = { done: { type: 'end', output: { url: '{{ env.URL }}' } } };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    await setting(agent, 'live', { env: { URL: 'live' } });
    const event = { key: agent.key, params: { flow_id: agent.flowid }, body: { event: 'x' } };
    const { triggerId } = (await call('acceptWebhook', event)).body;
    await idle();
    const params = { workspace_id: agent.workspaceid, workflow_id: triggerId };
    expect((await call('getRun', { key: agent.key, params })).body.response).toEqual({ url: 'live' });
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
    const sent = { key: agent.key, params: { flowId: agent.flowid }, text };
    const answer = await call('callLiveAgent', { ...sent, headers: { 'content-type': 'application/json' } });
    expect(answer.text).toContain('"text":"live"');
  });
});

describe('400', () => {
  test('live accepts no pins, because promotion decides what is live', async () => {
    const agent = await liveAgent();
    const { problem } = await setting(agent, 'prod', { pins: { [agent.flowid]: agent.a2aregistryid } });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/body/pins']);
  });

  test('a pin must be a build of that flow, in that workspace, of that organisation', async () => {
    const agent = await liveAgent();
    const others = [
      await liveAgent({}, agent),
      await liveAgent(),
      await liveAgent({}, { ...agent, workspaceid: unique('ws') }),
    ];
    for (const { a2aregistryid } of others) {
      const { problem } = await setting(agent, 'uat', { pins: { [agent.flowid]: a2aregistryid } });
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/body/pins/${agent.flowid}`]);
    }
  });

  test.each<[object, RegExp]>([
    [{ pins: { 'a b': 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E' } }, /^\/body\/pins\/a b$/],
    [{ pins: { flow: 'build-1' } }, /^\/body\/pins\/flow$/],
    [{ env: { '1X': 'a' } }, /^\/body\/env\/1X$/],
    [{ env: { X: 1 } }, /^\/body\/env\/X$/],
    [
      { env: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`V${n}`, 'x'.repeat(4_000)])) },
      /^\/body\/env$/,
    ],
  ])('a body with %j is refused with a pointer to the mistake', async (some, pointer) => {
    const { problem } = await setting(await liveAgent(), 'uat', some);
    expect(problem.errors?.map((each) => each.pointer)).toEqual([expect.stringMatching(pointer)]);
  });
});

describe('403', () => {
  test('a key for other workspaces, and one that may not update', async () => {
    const agent = await liveAgent();
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    expect((await setting({ ...agent, key: elsewhere.key }, 'uat', {})).problem.status).toBe(403);
    const reader = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:read'] });
    expect((await setting({ ...agent, key: reader.key }, 'uat', {})).problem.status).toBe(403);
  });
});

describe('409', () => {
  test('a run in an environment whose pinned build was deleted names the build, and another pin fixes it', async () => {
    const agent = await liveAgent();
    const { a2aregistryid } = await newRow(agent, { flowid: agent.flowid });
    await setting(agent, 'uat', { pins: { [agent.flowid]: a2aregistryid } });
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid } });
    const { problem } = await run(agent, 'uat');
    expect(problem).toMatchObject({ status: 409, code: 'pinned_build_gone' });
    expect(problem.detail).toContain(a2aregistryid);
    await setting(agent, 'uat', { pins: { [agent.flowid]: agent.a2aregistryid } });
    expect((await run(agent, 'uat')).status).toBe(200);
  });
});

describe('412', () => {
  test('a version other than the one in If-Match, also when nothing is set', async () => {
    const agent = await liveAgent();
    const stale = { 'if-match': '"3"' };
    expect((await setting(agent, 'uat', {}, stale)).problem.code).toBe('precondition_failed');
    await setting(agent, 'uat', {});
    expect((await setting(agent, 'uat', {}, stale)).problem.detail).toContain('"1-');
  });

  test('If-Match: * when nothing is set, and nothing is stored', async () => {
    const agent = await liveAgent();
    expect((await setting(agent, 'uat', {}, { 'if-match': '*' })).problem.code).toBe('precondition_failed');
    const one = { key: agent.key, params: { environment: 'uat' }, query: { workspaceid: agent.workspaceid } };
    expect((await call('getEnvironment', one)).problem.code).toBe('environment_not_found');
    await setting(agent, 'uat', {});
    expect((await setting(agent, 'uat', {}, { 'if-match': '*' })).body.version).toBe(2);
  });

  test('settings that were deleted and set again, although they have the same version', async () => {
    const agent = await liveAgent();
    const before = readETag(await setting(agent, 'uat', {}));
    const one = { key: agent.key, params: { environment: 'uat' }, query: { workspaceid: agent.workspaceid } };
    await call('deleteEnvironment', one);
    await setting(agent, 'uat', { env: { A: 'new' } });
    const read = await call('getEnvironment', { ...one, headers: { 'if-none-match': before } });
    expect(read.body).toMatchObject({ version: 1, env: { A: 'new' } });
    const stale = { 'if-match': before };
    expect((await setting(agent, 'uat', {}, stale)).problem.code).toBe('precondition_failed');
    const removal = await call('deleteEnvironment', { ...one, headers: stale });
    expect(removal.problem.code).toBe('precondition_failed');
  });
});
