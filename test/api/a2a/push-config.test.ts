// The operations on push notification configurations: shapes, limits, and whose they are.
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, newMessage, readTaskId, refusal, rpc } from '#test/support/a2a.ts';
import { newCaller } from '#test/support/caller.ts';
import { askingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { createConfig } from '#test/support/push.ts';
import { runWrites } from '#test/support/runs.ts';

// Accepted by its form; nothing resolves it, so nothing is ever sent.
const url = 'https://receiver.example/push';
const secrets = { token: 'tok-5ecret', authentication: { scheme: 'Bearer', credentials: 'cred-5ecret' } };

let agent: TestAgent;
beforeAll(async () => {
  agent = await liveAgent({ flow: askingFlow() });
});

const live = () => agentUrls(agent).live;

async function newTask(of: TestAgent = agent): Promise<string> {
  const params = { message: newMessage('Hello') };
  return readTaskId((await rpc(agentUrls(of).live, of.key, 'SendMessage', params)).result);
}

const ask = async (method: string, params: object) => await rpc(live(), agent.key, method, params);
const create = async (params: object) => await createConfig(live(), agent.key, params);
const page = z.object({ configs: z.array(z.looseObject({ id: z.string() })), nextPageToken: z.string() });
const list = async (params: object) =>
  page.parse((await ask('ListTaskPushNotificationConfigs', params)).result);

describe('a configuration', () => {
  test('is returned by create, get and list, without its token and credentials', async () => {
    const taskId = await newTask();
    const config = await create({ taskId, url, ...secrets });
    expect(config).toEqual({
      taskId,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url,
      authentication: { scheme: 'Bearer' },
    });
    const { result } = await ask('GetTaskPushNotificationConfig', { taskId, id: config.id });
    expect(result).toEqual(config);
    expect(await list({ taskId })).toEqual({ configs: [config], nextPageToken: '' });
  });

  test('is stored encrypted', async () => {
    const taskId = await newTask();
    await create({ taskId, id: 'mine', url, ...secrets });
    const item = (await runWrites(taskId)).find(({ sk }) => sk === 'PUSH#mine');
    const values = Object.values(item ?? {});
    expect(values).toContainEqual(expect.any(Uint8Array));
    const text = values
      .map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : JSON.stringify(value),
      )
      .join();
    for (const plain of ['5ecret', 'receiver.example', 'Bearer']) expect(text).not.toContain(plain);
  });

  test('takes the members of protobuf: snake case, null, and empty strings for none', async () => {
    const taskId = await newTask();
    const given = { task_id: taskId, id: '', url, token: '', authentication: null, tenant: '' };
    expect(await create(given)).toEqual({ taskId, id: expect.any(String), url });
  });

  test('with the id of another replaces it', async () => {
    const taskId = await newTask();
    await create({ taskId, id: 'mine', url });
    await create({ taskId, id: 'mine', url: `${url}/2` });
    expect(await list({ taskId })).toMatchObject({ configs: [{ id: 'mine', url: `${url}/2` }] });
  });

  test('is deleted; deleting it again, or one that never was, succeeds', async () => {
    const taskId = await newTask();
    await create({ taskId, id: 'mine', url });
    for (const id of ['mine', 'mine', 'never'])
      expect(await ask('DeleteTaskPushNotificationConfig', { taskId, id })).toMatchObject({ result: null });
    expect(await list({ taskId })).toEqual({ configs: [], nextPageToken: '' });
    const { error } = await ask('GetTaskPushNotificationConfig', { taskId, id: 'mine' });
    expect(error?.code).toBe(-32001);
  });

  test('expires with its task, also where a question moves the time', async () => {
    const params = { message: newMessage('Hi'), configuration: { taskPushNotificationConfig: { url } } };
    const id = readTaskId((await ask('SendMessage', params)).result);
    const items = await runWrites(id);
    expect(items.map(({ sk }) => sk)).toContainEqual(expect.stringMatching(/^PUSH#/));
    expect(new Set(items.map(({ ttl }) => ttl)).size).toBe(1);
  });
});

describe('a list', () => {
  test('is paged, by a number that may be a string', async () => {
    const taskId = await newTask();
    for (const id of ['c', 'a', 'b']) await create({ taskId, id, url });
    const pages: unknown[] = [];
    for (let pageToken = ''; pages.length === 0 || pageToken !== ''; ) {
      const { configs, nextPageToken } = await list({
        taskId,
        pageSize: pages.length === 0 ? 1 : '1',
        pageToken,
      });
      pages.push(configs.map(({ id }) => id));
      pageToken = nextPageToken;
    }
    expect(pages).toEqual([['a'], ['b'], ['c']]);
  });
});

describe('-32602', () => {
  test.each([
    ['no url', {}, '/params/url'],
    ['plain http', { url: 'http://receiver.example/push' }, '/params/url'],
    ['a private address', { url: 'https://10.0.0.1/push' }, '/params/url'],
    ['instance metadata', { url: 'https://169.254.169.254/latest' }, '/params/url'],
    ['a name of this machine', { url: 'https://localhost/push' }, '/params/url'],
    ['a user in the url', { url: 'https://user:pass@receiver.example/push' }, '/params/url'],
    ['a line break in the url', { url: 'https://receiver.example/\r\npush' }, '/params/url'],
    ['a line break in the token', { url, token: 'a\r\nX-Evil: 1' }, '/params/token'],
    ['a NUL in the token', { url, token: 'a\u0000b' }, '/params/token'],
    [
      'a line break in the scheme',
      { url, authentication: { scheme: 'Bearer\n', credentials: 'x' } },
      '/params/authentication/scheme',
    ],
    [
      'a line break in the credentials',
      { url, authentication: { scheme: 'Bearer', credentials: 'x\ny' } },
      '/params/authentication/credentials',
    ],
    ['no scheme', { url, authentication: { credentials: 'x' } }, '/params/authentication/scheme'],
    ['an id that no path can have', { url, id: 'a/b' }, '/params/id'],
    ['a url that is too long', { url: `${url}/${'x'.repeat(2_048)}` }, '/params/url'],
  ])('%s', async (_, config, field) => {
    const taskId = await newTask();
    const error = await refusal(live(), agent.key, 'CreateTaskPushNotificationConfig', { taskId, ...config });
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error)).toContain(`"field":"${field}"`);
    expect(JSON.stringify(error)).not.toContain('X-Evil');
    expect(await list({ taskId })).toEqual({ configs: [], nextPageToken: '' });
  });

  test('the same in a message, and no task is started', async () => {
    const configuration = { taskPushNotificationConfig: { url: 'https://10.0.0.1/push' } };
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const error = await refusal(live(), agent.key, method, { message: newMessage('Hi'), configuration });
      expect(error.code).toBe(-32602);
      expect(JSON.stringify(error)).toContain('"/params/configuration/taskPushNotificationConfig/url"');
    }
  });

  test('a configuration of a message that names another task', async () => {
    const taskId = await newTask();
    const configuration = { taskPushNotificationConfig: { url, taskId } };
    const error = await refusal(live(), agent.key, 'SendMessage', {
      message: newMessage('Hi'),
      configuration,
    });
    expect(JSON.stringify(error)).toContain('"/params/configuration/taskPushNotificationConfig/taskId"');
  });

  test('the eleventh of a task, also of many that come at once; a replacement is none', async () => {
    const taskId = await newTask();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        ask('CreateTaskPushNotificationConfig', { taskId, id: `c${n}`, url }),
      ),
    );
    expect(outcomes.filter(({ error }) => error?.code === -32602)).toHaveLength(2);
    const { configs } = await list({ taskId });
    expect(configs).toHaveLength(10);
    const [first] = configs;
    await create({ taskId, id: first?.id, url: `${url}/2` });
    await ask('DeleteTaskPushNotificationConfig', { taskId, id: first?.id });
    await create({ taskId, id: 'last', url });
  });

  test('a page token that is none, and a page size that is too large', async () => {
    const taskId = await newTask();
    for (const params of [{ pageToken: '!' }, { pageSize: 101 }, { pageSize: -1 }]) {
      const error = await refusal(live(), agent.key, 'ListTaskPushNotificationConfigs', {
        taskId,
        ...params,
      });
      expect([error.code, JSON.stringify(error)]).toEqual([
        -32602,
        expect.stringContaining(`/params/${Object.keys(params)[0]}`),
      ]);
    }
  });
});

describe('-32001', () => {
  const methods = [
    ['CreateTaskPushNotificationConfig', { url }],
    ['GetTaskPushNotificationConfig', { id: 'mine' }],
    ['ListTaskPushNotificationConfigs', {}],
    ['DeleteTaskPushNotificationConfig', { id: 'mine' }],
  ] as const;

  test.each(methods)(
    '%s of another key, another organisation and of a missing task look alike',
    async (method, params) => {
      const open = await liveAgent({ flow: askingFlow(), visibility: 'public' });
      const taskId = await newTask(open);
      await createConfig(agentUrls(open).live, open.key, { taskId, id: 'mine', url });
      const others = [await newCaller({ orgid: open.orgid }), await newCaller()];
      const refusals = await Promise.all([
        ...others.map(({ key }) => refusal(agentUrls(open).live, key, method, { taskId, ...params })),
        refusal(agentUrls(open).live, open.key, method, { taskId: crypto.randomUUID(), ...params }),
      ]);
      for (const error of refusals) expect(error).toEqual(refusals[2]);
      expect(refusals[0]?.code).toBe(-32001);
      const mine = await rpc(agentUrls(open).live, open.key, 'ListTaskPushNotificationConfigs', { taskId });
      expect(mine.result).toMatchObject({ configs: [{ id: 'mine' }] });
    },
  );
});
