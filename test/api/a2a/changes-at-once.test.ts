// A process remembers where it found an agent. None of that outlives a change: a promotion, a rollback, a variable, a
// visibility and a deletion apply to the next message, at each URL and to the synchronous trigger.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, newMessage, post } from '#test/support/a2a.ts';
import { card, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { setting } from '#test/support/triggers.ts';

const answering = (build: string) =>
  flow({ start: 'done', nodes: { done: { type: 'end', output: { answer: `${build} {{ env.STAGE }}` } } } });

const answered = z.object({
  result: z.object({
    task: z.object({ artifacts: z.tuple([z.object({ parts: z.tuple([z.object({ text: z.string() })]) })]) }),
  }),
});

async function newAgent() {
  const owner = await newCaller();
  const flowid = unique('flow');
  const options = { flowid, env_variable: { STAGE: 'build' }, visibility: 'public' };
  const first = await promoted(owner, await newRow(owner, { ...options, flow: answering('first') }));
  const urls = agentUrls(first);
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: newMessage('x') },
  });
  const send = async (url: string, key = owner.key): Promise<string | number> => {
    const response = await post(url, { text, key });
    if (response.status !== 200) return response.status;
    return answered.parse(await response.json()).result.task.artifacts[0].parts[0].text;
  };
  const trigger = async () => {
    const params = { workspace_id: owner.workspaceid, trigger_id: flowid, environment: 'live' };
    const response = await call('triggerFlow', { key: owner.key, params, body: { message: 'x' } });
    return response.status === 200 ? response.body.response.answer : response.status;
  };
  const ask = async () => [
    await send(urls.live),
    await send(urls.test),
    await send(urls.agent),
    await trigger(),
  ];
  return { owner, first, flowid, options, send, ask, urls };
}

describe('the next message after', () => {
  test('a promotion and a rollback reaches the build that is live then', async () => {
    const { owner, first, options, ask } = await newAgent();
    const all = (build: string) => [`${build} build`, 'first build', 'first build', `${build} build`];
    for (let n = 0; n < 2; n += 1) expect(await ask()).toEqual(all('first'));
    const second = await newRow(owner, { ...options, flow: answering('second') });
    await promoted(owner, second);
    for (let n = 0; n < 2; n += 1) expect(await ask()).toEqual(all('second'));
    await promoted(owner, first);
    expect(await ask()).toEqual(all('first'));
  });

  test('a change of a variable reads it, in the environment of the status that the build has then', async () => {
    const { owner, flowid, options, ask } = await newAgent();
    const agent = { ...owner, flowid };
    await ask();
    await setting(agent, 'live', { env: { STAGE: 'live' } });
    await setting(agent, 'test', { env: { STAGE: 'test' } });
    expect(await ask()).toEqual(['first live', 'first live', 'first live', 'first live']);
    await promoted(owner, await newRow(owner, { ...options, flow: answering('second') }));
    expect(await ask()).toEqual(['second live', 'first test', 'first test', 'second live']);
  });

  test('a change of the visibility or a deletion is refused', async () => {
    const { owner, first, options, send, ask, urls } = await newAgent();
    const stranger = await newCaller();
    const strangers = async () => [
      await send(urls.live, stranger.key),
      await send(urls.test, stranger.key),
      await send(urls.agent, stranger.key),
    ];
    expect(await strangers()).toEqual(['first build', 'first build', 'first build']);
    const params = { a2aregistryid: first.a2aregistryid };
    const body = { agent_card: card(), env_variable: options.env_variable };
    await call('updateRegistryRow', { key: owner.key, params, body });
    expect(await strangers()).toEqual([401, 401, 401]);
    expect(await ask()).toEqual(['first build', 'first build', 'first build', 'first build']);
    await call('deleteRegistryRow', { key: owner.key, params });
    expect(await strangers()).toEqual([401, 401, 401]);
    expect(await ask()).toEqual([401, 401, 401, 404]);
  });
});
