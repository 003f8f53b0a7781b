// Extensions of A2A (v1.0.1 §4.6): activated by a header, over both bindings and in 0.3.

import { once } from 'node:events';
import { request as httpRequest, IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildExtension } from '#lib/registry/row/agent-card.ts';
import { agentUrls, newMessage, post, readTaskId, requestHttpJson, rpcAnswer } from '#test/support/a2a.ts';
import { card, flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const geo = 'https://ext.example/geolocation/v1';
const citations = 'urn:example:citations:v2';
const signing = 'https://ext.example/signing/v1?strict=(yes)';
const unknown = 'https://ext.example/geolocation/v2';

/** Answers with what it reads of the extensions. */
const showing = flow({
  nodes: { done: { type: 'end', output: { active: '{{ input.a2a.extensions }}' } } },
});

const newAgent = async (extensions: readonly { uri: string; required?: boolean }[]) =>
  await liveAgent({
    flow: showing,
    visibility: 'public',
    agent_card: card({ capabilities: { extensions: [...extensions] } }),
  });

let open: TestAgent;
let strict: TestAgent;
let plain: TestAgent;
beforeAll(async () => {
  open = await newAgent([{ uri: geo }, { uri: citations }]);
  strict = await newAgent([
    { uri: geo },
    { uri: citations, required: true },
    { uri: signing, required: true },
  ]);
  plain = await liveAgent({ flow: showing });
});

/** Where an agent is called, with the method in the words of the address. */
const addresses = {
  'JSON-RPC': {
    sent: 'a2a-extensions',
    send: async (agent: TestAgent, headers: Record<string, string>) =>
      await rpcCall(agentUrls(agent).live, agent.key, 'SendMessage', { message: newMessage('x') }, headers),
  },
  'HTTP+JSON': {
    sent: 'a2a-extensions',
    send: async (agent: TestAgent, headers: Record<string, string>) =>
      await requestHttpJson(agentUrls(agent).live, '/message:send', {
        key: agent.key,
        body: { message: newMessage('x') },
        headers,
      }),
  },
  '0.3': {
    sent: 'x-a2a-extensions',
    send: async (agent: TestAgent, headers: Record<string, string>) =>
      await rpcCall(
        `${agentUrls(agent).live}v0.3`,
        agent.key,
        'message/send',
        { message: legacyMessage() },
        headers,
      ),
  },
} as const;
type Address = keyof typeof addresses;
const names: readonly Address[] = ['JSON-RPC', 'HTTP+JSON', '0.3'];

async function rpcCall(url: string, key: string, method: string, params: unknown, headers = {}) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 'r-1', method, params });
  return await post(url, { text, key, headers });
}

const legacyMessage = () => ({
  kind: 'message' as const,
  messageId: crypto.randomUUID(),
  role: 'user' as const,
  parts: [{ kind: 'text' as const, text: 'x' }],
});

/** What the flow has read, wherever the binding has put the answer of the flow. */
function readActive(text: string): unknown {
  const found = /\{"active":(\[[^\]]*\])\}/.exec(text);
  return found?.[1] === undefined ? text : JSON.parse(found[1]);
}

describe.each(names)('a message over %s', (name) => {
  const { sent, send } = addresses[name];

  test.each<[string, string, readonly string[]]>([
    ['one', geo, [geo]],
    ['all, which are answered in the order of the card', `${citations},${geo}`, [geo, citations]],
    ['some twice, with white space around them', ` ${geo} ,, ${geo}\t,`, [geo]],
    ['unknown ones too, which are ignored', `${unknown}, ${citations}`, [citations]],
    ['only unknown ones', `${unknown},*,${geo.toUpperCase()}`, []],
    ['nothing', '', []],
    ['as many as API Gateway lets through', `${'https://ext.example/x/v1,'.repeat(320)}${geo}`, [geo]],
  ])('activates %s', async (_, value, active) => {
    const response = await send(open, { [sent]: value });
    expect(response.status).toBe(200);
    expect(response.headers.get(sent)).toBe(active.length > 0 ? active.join(',') : null);
    expect(readActive(await response.text())).toEqual(active);
  });

  test('activates nothing of an agent that declares no extensions', async () => {
    const response = await send(plain, { [sent]: geo });
    expect(response.headers.get(sent)).toBeNull();
    expect(readActive(await response.text())).toEqual([]);
  });

  test('may have several headers of the name', async () => {
    const response = await sendHeaders(name, [citations, unknown, geo]);
    expect(response.headers[sent]).toBe(`${geo},${citations}`);
  });

  test('without the extensions that the agent requires is refused, with their URIs', async () => {
    for (const [value, missing] of [
      ['', [citations, signing]],
      [`${geo},${signing}`, [citations]],
    ] as const) {
      const response = await send(strict, { [sent]: value });
      expect(response.headers.get(sent)).toBeNull();
      const { error } = z.object({ error: z.looseObject({}) }).parse(await response.json());
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'EXTENSION_SUPPORT_REQUIRED',
        domain: 'a2a-protocol.org',
        metadata: { extensions: missing.join(',') },
      };
      const header = name === '0.3' ? 'X-A2A-Extensions' : 'A2A-Extensions';
      const message = expect.stringContaining(`"${header}: ${missing.join(',')}"`);
      if (name === 'HTTP+JSON') {
        expect(response.status).toBe(400);
        expect(error).toEqual({ code: 400, status: 'FAILED_PRECONDITION', message, details: [info] });
      } else {
        expect(response.status).toBe(200);
        expect(error).toEqual({ code: -32008, message, data: [info] });
      }
    }
  });

  test('with the extensions that the agent requires is answered', async () => {
    const response = await send(strict, { [sent]: `${citations},${signing}` });
    expect(response.headers.get(sent)).toBe(`${citations},${signing}`);
    expect(readActive(await response.text())).toEqual([citations, signing]);
  });
});

/** `fetch` would make one header of several. */
async function sendHeaders(name: Address, values: readonly string[]): Promise<IncomingMessage> {
  const { live } = agentUrls(open);
  const path = { 'JSON-RPC': '', 'HTTP+JSON': 'rest/message:send', '0.3': 'v0.3' }[name];
  const params = { message: name === '0.3' ? legacyMessage() : newMessage('x') };
  const method = name === '0.3' ? 'message/send' : 'SendMessage';
  const body = name === 'HTTP+JSON' ? params : { jsonrpc: '2.0', id: 1, method, params };
  const request = httpRequest(`${live}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'x-api-key': open.key,
      [addresses[name].sent]: [...values],
    },
  });
  request.end(JSON.stringify(body));
  const [response] = z.tuple([z.instanceof(IncomingMessage)]).parse(await once(request, 'response'));
  response.resume();
  return response;
}

describe('the header for clients of 0.3', () => {
  test('may have the name that it has in 1.0, and is answered under its own', async () => {
    const response = await addresses['0.3'].send(open, { 'a2a-extensions': geo });
    expect([response.headers.get('x-a2a-extensions'), response.headers.get('a2a-extensions')]).toEqual([
      geo,
      null,
    ]);
  });

  test('has no effect on a request of 1.0', async () => {
    for (const name of ['JSON-RPC', 'HTTP+JSON'] as const) {
      const response = await addresses[name].send(open, { 'x-a2a-extensions': geo });
      expect(response.headers.get('a2a-extensions')).toBeNull();
      expect(readActive(await response.text())).toEqual([]);
    }
  });
});

describe('the answer names the activated extensions', () => {
  const headers = { 'a2a-extensions': geo };

  test('of a stream', async () => {
    const { live } = agentUrls(open);
    const params = { message: newMessage('x') };
    for (const response of [
      await rpcCall(live, open.key, 'SendStreamingMessage', params, headers),
      await requestHttpJson(live, '/message:stream', { key: open.key, body: params, headers }),
    ]) {
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(response.headers.get('a2a-extensions')).toBe(geo);
      expect(await response.text()).toContain('TASK_STATE_COMPLETED');
    }
    const legacy = await rpcCall(
      `${live}v0.3`,
      open.key,
      'message/stream',
      { message: legacyMessage() },
      {
        'x-a2a-extensions': geo,
      },
    );
    expect(legacy.headers.get('x-a2a-extensions')).toBe(geo);
    expect(await legacy.text()).toContain('"final":true');
  });

  test('of an error of A2A, and of an empty answer', async () => {
    const { live } = agentUrls(open);
    const failed = await rpcCall(live, open.key, 'GetTask', { id: 'none' }, headers);
    expect(rpcAnswer.parse(await failed.json()).error?.code).toBe(-32001);
    const missing = await requestHttpJson(live, '/tasks/none', { key: open.key, headers });
    expect(missing.status).toBe(404);
    const send = await requestHttpJson(live, '/message:send', {
      key: open.key,
      body: { message: newMessage('x') },
    });
    const id = readTaskId(await send.json());
    const path = `/tasks/${id}/pushNotificationConfigs/none`;
    const gone = await requestHttpJson(live, path, { key: open.key, method: 'DELETE', headers });
    expect(await gone.json()).toEqual({});
    for (const response of [failed, missing, gone]) expect(response.headers.get('a2a-extensions')).toBe(geo);
  });

  test('but no extension of an agent to a caller that may not call it', async () => {
    const hidden = await liveAgent({
      agent_card: card({ capabilities: { extensions: [{ uri: geo, required: true }] } }),
    });
    const { key } = await newCaller();
    for (const sent of [{}, headers]) {
      const denied = await rpcCall(agentUrls(hidden).live, key, 'SendMessage', {}, sent);
      const absent = await rpcCall(
        agentUrls({ ...hidden, flowid: unique('flow') }).live,
        key,
        'SendMessage',
        {},
        sent,
      );
      expect(denied.status).toBe(401);
      expect(denied.headers.get('a2a-extensions')).toBeNull();
      const texts = [denied, absent].map(async (response) =>
        (await response.text()).replace(/[\w-]{36}/g, 'id'),
      );
      const [one, other] = await Promise.all(texts);
      expect(one).toBe(other);
    }
  });
});

describe('a required extension', () => {
  const operations: readonly [string, string, string, object | undefined][] = [
    ['SendMessage', 'POST', '/message:send', { message: newMessage('x') }],
    ['SendStreamingMessage', 'POST', '/message:stream', { message: newMessage('x') }],
    ['GetTask', 'GET', '/tasks/t', { id: 't' }],
    ['ListTasks', 'GET', '/tasks', {}],
    ['CancelTask', 'POST', '/tasks/t:cancel', { id: 't' }],
    ['SubscribeToTask', 'POST', '/tasks/t:subscribe', { id: 't' }],
    [
      'CreateTaskPushNotificationConfig',
      'POST',
      '/tasks/t/pushNotificationConfigs',
      { taskId: 't', url: 'https://a.example' },
    ],
    ['GetTaskPushNotificationConfig', 'GET', '/tasks/t/pushNotificationConfigs/c', { taskId: 't', id: 'c' }],
    ['ListTaskPushNotificationConfigs', 'GET', '/tasks/t/pushNotificationConfigs', { taskId: 't' }],
    [
      'DeleteTaskPushNotificationConfig',
      'DELETE',
      '/tasks/t/pushNotificationConfigs/c',
      { taskId: 't', id: 'c' },
    ],
  ];

  test.each(operations)(
    'is required for %s, before its parameters are looked at',
    async (method, verb, path, params) => {
      const { live } = agentUrls(strict);
      const { key } = strict;
      for (const sent of [params, {}]) {
        const { error } = rpcAnswer.parse(await (await rpcCall(live, key, method, sent)).json());
        expect(error).toMatchObject({ code: -32008, data: [{ reason: 'EXTENSION_SUPPORT_REQUIRED' }] });
      }
      const response = await requestHttpJson(live, path, {
        key,
        method: verb,
        ...(verb === 'POST' && { body: params }),
      });
      expect(await response.text()).toContain('EXTENSION_SUPPORT_REQUIRED');
      expect(response.status).toBe(400);
    },
  );

  test('is required of callers of another organisation as of its own', async () => {
    const { key } = await newCaller();
    const url = agentUrls(strict).live;
    const params = { message: newMessage('x') };
    const refused = await (await rpcCall(url, key, 'SendMessage', params)).json();
    expect(rpcAnswer.parse(refused).error?.code).toBe(-32008);
    const headers = { 'a2a-extensions': `${citations}, ${signing}` };
    const answered = await (await rpcCall(url, key, 'SendMessage', params, headers)).json();
    expect(rpcAnswer.parse(answered).error).toBeUndefined();
  });

  test('is not required to read the card, which names it, nor the extended card', async () => {
    const { live } = agentUrls(strict);
    const declared = [{ uri: geo }, { uri: citations, required: true }, { uri: signing, required: true }];
    for (const path of ['', 'v0.3/']) {
      const response = await fetch(`${live}${path}.well-known/agent-card.json`);
      expect(await response.json()).toMatchObject({ capabilities: { extensions: declared } });
    }
    const extended = { capabilities: { extensions: [...declared, { uri: buildExtension }] } };
    const ofRpc = await rpcCall(live, strict.key, 'GetExtendedAgentCard', undefined);
    expect(await ofRpc.json()).toMatchObject({ result: extended });
    const ofHttp = await requestHttpJson(live, '/extendedAgentCard', { key: strict.key });
    expect(await ofHttp.json()).toMatchObject(extended);
    const old = await rpcCall(`${live}v0.3`, strict.key, 'agent/getAuthenticatedExtendedCard', undefined);
    expect(await old.json()).toMatchObject({ result: extended });
  });

  test('does not hide an unknown method, or that the version is not supported', async () => {
    const { live } = agentUrls(strict);
    const codes = [
      await rpcCall(live, strict.key, 'Sing', {}),
      await rpcCall(live, strict.key, 'SendMessage', {}, { 'a2a-version': '0.9' }),
    ].map(async (response) => rpcAnswer.parse(await response.json()).error?.code);
    expect(await Promise.all(codes)).toEqual([-32601, -32009]);
  });

  test('that an update adds is required from the next call on, also for tasks from before', async () => {
    const agent = await newAgent([]);
    const { live } = agentUrls(agent);
    const { key } = agent;
    const sent = await requestHttpJson(live, '/message:send', { key, body: { message: newMessage('x') } });
    const path = `/tasks/${readTaskId(await sent.json())}`;
    await call('updateRegistryRow', {
      key,
      params: { a2aregistryid: agent.a2aregistryid },
      body: { agent_card: card({ capabilities: { extensions: [{ uri: geo, required: true }] } }) },
    });
    expect((await requestHttpJson(live, path, { key })).status).toBe(400);
    expect((await requestHttpJson(live, path, { key, headers: { 'a2a-extensions': geo } })).status).toBe(200);
  });
});
