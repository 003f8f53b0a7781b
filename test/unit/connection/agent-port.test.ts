// The A2A port against a real agent by the official SDK's server, in another process.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgentPort, createCancelTaskPort } from '#lib/a2a-client/port.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { AgentRequest } from '#lib/flow/ports/agent.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { call, connectWith, fetchTo } from './connections.ts';
import { loopback } from './loopback.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer('a2a');
});
afterAll(() => server.stop());

function send(request: Partial<AgentRequest>, by: NodeCall = call, hosts = [server.host]) {
  const values = { partner: { type: 'http_bearer', hosts, credential: { token: 'hunter2-hunter2' } } };
  const connect = connectWith({ fetch: fetchTo(server.host), values });
  const port = createAgentPort({ getFetch: connect, addresses: ['https://gateway.example'] });
  const message = { key: 'run.node.1', agent: `${server.url}/agent`, egress: [server.host], metadata: {} };
  return port({ ...message, ...request }, by);
}

describe('the answer', () => {
  test('is the message of the agent', async () => {
    expect(await send({ text: 'hello' })).toEqual({ state: 'completed', text: 'Hello.' });
  });

  test('has the text and the data of a task’s artifacts, and the ids to continue the task', async () => {
    expect(await send({ text: 'report' })).toEqual({
      state: 'completed',
      task_id: expect.any(String),
      context_id: expect.any(String),
      text: 'One.\nTwo.',
      data: [{ n: 1 }, { n: 2 }],
    });
  });

  test.each([
    ['ask', 'input_required', 'Which order?'],
    ['login', 'auth_required', 'Log in first.'],
    ['fail', 'failed', 'Out of stock.'],
    ['reject', 'rejected', 'Not mine.'],
  ])('to "%s" has the state %s and the message of the agent', async (text, state, said) => {
    expect(await send({ text })).toMatchObject({ state, text: said, task_id: expect.any(String) });
  });

  test('of a long task is polled until its end', async () => {
    expect(await send({ text: 'later' })).toMatchObject({ state: 'completed', text: 'At last.' });
  });
});

test.each([
  ['an agent elsewhere', 'https://gateway.example', undefined],
  ['an agent of this service', undefined, { steps: 3, modelCalls: 1, tokens: 7 }],
])('what %s says that it has used is believed or not', async (_what, gatewayUrl = server.url, used) => {
  const connect = connectWith({ fetch: fetchTo(server.host) });
  const port = createAgentPort({ getFetch: connect, addresses: [gatewayUrl] });
  const request = { key: 'k', agent: `${server.url}/agent`, egress: [server.host], metadata: {} };
  const costly = await port({ ...request, text: 'costly' }, call);
  expect(costly.used).toEqual(used);
  const overrun = await port({ ...request, text: 'overrun' }, call);
  expect(overrun.used).toEqual(used && { steps: limits.stepsMax, modelCalls: 1, tokens: limits.tokensMax });
  const wrong = await port({ ...request, text: 'overstated' }, call);
  expect(wrong).toMatchObject({ state: 'completed' });
  expect(wrong).not.toHaveProperty('used');
});

describe('a connection that breaks', () => {
  /** What `/breaking` has received: it breaks the connection twice for each method. */
  const received = async (method: string) => {
    const bodies = await (await fetch(`${server.url}/received`)).json();
    return z
      .array(z.string())
      .parse(bodies)
      .map((body) => JSON.parse(body))
      .filter((body) => body.method === method);
  };
  const port = (gatewayUrl: string) =>
    createAgentPort({ getFetch: connectWith({ fetch: fetchTo(server.host) }), addresses: [gatewayUrl] });
  const request = () => ({ egress: [server.host], metadata: {}, text: 'later' });

  test('while an agent of this service answers: the same message is sent again', async () => {
    const agent = `${server.url}/breaking`;
    const key = crypto.randomUUID();
    const answer = await port(server.url)({ ...request(), key, agent }, call);
    expect(answer).toMatchObject({ state: 'completed', text: 'At last.' });
    const sent = await received('SendMessage');
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ params }) => params.message.messageId)).size).toBe(1);
    const looks = await received('GetTask');
    expect(looks).toHaveLength(3);
  });

  test('while another agent answers: the message is not sent again', async () => {
    const before = (await received('SendMessage')).length;
    const sent = port('https://gateway.example')(
      { ...request(), key: 'k', agent: `${server.url}/broken` },
      call,
    );
    await expect(sent).rejects.toMatchObject({ code: 'a2a.unavailable' });
    expect(await received('SendMessage')).toHaveLength(before + 1);
  });

  test('while the card of a task in progress is read: the card is read again', async () => {
    const lost = [0, 1];
    await using agent = await loopback((request, response) => {
      if (lost.pop() !== undefined) return void request.socket.destroy();
      const path = request.method === 'GET' ? 'agent/.well-known/agent-card.json' : 'agent';
      response.writeHead(307, { location: `${server.url}/${path}` }).end();
    });
    const { task_id: started_task = '' } = await send({ text: 'later' });
    const egress = [agent.host, server.host];
    const fetch = fetchTo(...egress);
    const port = createAgentPort({
      getFetch: connectWith({ fetch }),
      addresses: ['https://gateway.example'],
    });
    const look = { key: 'k', agent: agent.url, egress, metadata: {}, started_task, patienceMs: 0 };
    expect(await port(look, call)).toMatchObject({ state: 'completed' });
  });

  test.each([503, 429])(
    'a task that is read again later is in progress while its agent answers %d',
    async (status) => {
      const agent = `${server.url}/${status}`;
      const look = { agent, started_task: 't', patienceMs: 0, isReadLater: true };
      expect(await send(look)).toEqual({ state: 'working', text: '' });
    },
  );

  test('the id of a message is that of its execution and attempt', async () => {
    const idOf = async (key: string, attempt: number) => {
      const { data } = await send({ text: 'tell me', key }, { ...call, attempt });
      return z.object({ messageId: z.string() }).parse(data).messageId;
    };
    const one = await idOf('run.node.1', 1);
    expect(await idOf('run.node.1', 1)).toBe(one);
    expect(new Set([one, await idOf('run.node.2', 1), await idOf('run.node.1', 2)]).size).toBe(3);
  });
});

describe('the message', () => {
  test('has text, data, metadata and the ids of the task that it continues', async () => {
    const { data } = await send({
      text: 'tell me',
      data: { order: 42 },
      context_id: 'conversation-1',
      metadata: { budget: { tokens: 10 }, chain: ['reg_a'] },
    });
    expect(data).toMatchObject({
      role: 'ROLE_USER',
      contextId: 'conversation-1',
      parts: [{ text: 'tell me' }, { data: { order: 42 } }],
      metadata: { budget: { tokens: 10 }, chain: ['reg_a'] },
    });
  });

  test('begins a new conversation if the agent refuses one that only the run remembers', async () => {
    const forgotten = { text: 'tell me', context_id: 'forgotten' };
    const { data } = await send({ ...forgotten, isContextOptional: true });
    expect(data).not.toHaveProperty('contextId', 'forgotten');
    await expect(send(forgotten)).rejects.toMatchObject({
      code: 'a2a.error',
      message: expect.stringContaining('There is no such context.'),
    });
  });

  test('continues a task that asked a question', async () => {
    const { task_id = '', context_id = '' } = await send({ text: 'ask' });
    expect(await send({ text: 'report', task_id, context_id })).toMatchObject({
      state: 'completed',
      task_id,
    });
  });

  test('carries the credential of the connection, which is redacted in the answer', async () => {
    const { data } = await send({ text: 'AUTHORIZATION', connection: 'partner' });
    expect(data).toMatchObject({ parts: [{ text: 'Bearer [secret]' }] });
  });
});

describe('an agent is found', () => {
  test('by the URL of its card', async () => {
    expect(await send({ agent: `${server.url}/somewhere/card.json`, text: 'hello' })).toMatchObject({
      text: 'Hello.',
    });
  });

  test('when it speaks A2A 0.3', async () => {
    expect(await send({ agent: `${server.url}/old`, text: 'hello' })).toEqual({
      state: 'completed',
      text: 'Hello from 0.3.',
    });
  });
});

describe('a task', () => {
  const canceled = async () =>
    z.array(z.string()).parse(await (await fetch(`${server.url}/canceled`)).json());
  const target = () => ({ agent: `${server.url}/agent`, egress: [server.host] });
  const cancelPort = (gatewayUrl = 'https://gateway.example') =>
    createCancelTaskPort({ getFetch: connectWith({ fetch: fetchTo(server.host) }), addresses: [gatewayUrl] });

  test('is known when its message is sent, and its id with the response', async () => {
    const ids: (string | undefined)[] = [];
    const onTask = async (id?: string) => void ids.push(id);
    await send({ text: 'work', patienceMs: 0 }, { ...call, onTask });
    expect(ids).toEqual([undefined, expect.any(String)]);
  });

  test('is canceled, and reports what it has used, if its agent is one of this service', async () => {
    const { task_id = '' } = await send({ text: 'expensive', patienceMs: 0 });
    expect(await cancelPort()({ ...target(), task_id })).toBeUndefined();
    expect(await canceled()).toContain(task_id);
    const { task_id: other = '' } = await send({ text: 'expensive', patienceMs: 0 });
    const used = { steps: 3, modelCalls: 1, tokens: 7 };
    expect(await cancelPort(server.url)({ ...target(), task_id: other })).toEqual(used);
  });

  test('that has ended by itself reports what it has used', async () => {
    const { task_id = '' } = await send({ text: 'costly' });
    const used = { steps: 3, modelCalls: 1, tokens: 7 };
    expect(await cancelPort(server.url)({ ...target(), task_id })).toEqual(used);
  });

  test('of another agent is not searched for with a second message', async () => {
    const before = (await canceled()).length;
    const message = { key: 'k', attempt: 1, text: 'work', metadata: {} };
    expect(await cancelPort()({ ...target(), message })).toBeUndefined();
    expect(await canceled()).toHaveLength(before);
  });

  test('cannot be canceled where the agent does not respond', async () => {
    const gone = { ...target(), agent: `${server.url}/503`, task_id: 't' };
    await expect(cancelPort()(gone)).rejects.toMatchObject({ code: 'a2a.unavailable' });
  });
});

describe('a failure has a code', () => {
  test.each([
    [401, 'a2a.unauthorized'],
    [403, 'a2a.unauthorized'],
    [429, 'a2a.rate_limited'],
    [503, 'a2a.unavailable'],
    [500, 'a2a.bad_answer'],
  ])('an agent that answers %d', async (status, code) => {
    await expect(send({ agent: `${server.url}/${status}`, text: 'hello' })).rejects.toMatchObject({
      name: 'NodeError',
      code,
    });
  });

  test.each([
    ['a place without an agent', () => ({ agent: `${server.url}/nowhere` }), 'a2a.not_found'],
    ['a card that is none', () => ({ agent: `${server.url}/garbled` }), 'a2a.bad_answer'],
    ['an agent that is neither id nor URL', () => ({ agent: 'the other one' }), 'a2a.bad_agent'],
    ['a task that the agent does not know', () => ({ text: 'hello', task_id: 'nope' }), 'a2a.error'],
    ['a host that is not in egress', () => ({ egress: [] }), 'egress.host_not_listed'],
    ['an answer that is too large', () => ({ text: 'flood' }), 'egress.too_large'],
    ['a connection that the flow does not declare', () => ({ connection: 'crm' }), 'connection.missing'],
  ])('%s', async (_what, request, code) => {
    await expect(send({ text: 'hello', ...request() })).rejects.toMatchObject({ name: 'NodeError', code });
  });

  test('an agent that only offers gRPC', async () => {
    const grpc = { url: `${server.url}/agent`, protocolBinding: 'GRPC', protocolVersion: '1.0' };
    const card = { name: 'a', capabilities: {}, supportedInterfaces: [grpc] };
    await using agent = await loopback((_request, response) => void response.end(JSON.stringify(card)));
    const getFetch = connectWith({ fetch: agent.fetch });
    const port = createAgentPort({ getFetch, addresses: ['https://gateway.example'] });
    const request = { key: 'k', agent: agent.url, text: 'hello', egress: [agent.host], metadata: {} };
    await expect(port(request, call)).rejects.toMatchObject({
      code: 'a2a.bad_answer',
      message: expect.stringContaining('lists no interface for JSON-RPC or HTTP+JSON'),
    });
  });

  test('a credential for another host is not sent', async () => {
    await expect(
      send({ text: 'hello', connection: 'partner' }, call, ['partner.example']),
    ).rejects.toMatchObject({
      code: 'connection.host',
    });
  });

  test('a host that refuses connections', async () => {
    const gone = await loopback(() => undefined);
    await gone[Symbol.asyncDispose]();
    const port = createAgentPort({
      getFetch: connectWith({ fetch: gone.fetch }),
      addresses: ['https://gateway.example'],
    });
    const request = { key: 'k', agent: gone.url, text: 'hello', egress: [gone.host], metadata: {} };
    await expect(port(request, call)).rejects.toMatchObject({ code: 'a2a.unavailable' });
  });
});
