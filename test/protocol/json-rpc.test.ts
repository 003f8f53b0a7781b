// A2A v1.0.1 over JSON-RPC, from the outside: what must be refused and how, and what must be taken although
// it looks odd.
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, newMessage, post, readTaskId, refusal, rpc, rpcText } from '#test/support/a2a.ts';
import { failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';

let agent: TestAgent;
let url: string;
beforeAll(async () => {
  agent = await liveAgent();
  url = agentUrls(agent).live;
});

describe('the message', () => {
  const send = async (message: object, configuration?: object) =>
    await rpc(url, agent.key, 'SendMessage', { message, ...(configuration && { configuration }) });

  test.each([
    ['no parts', { parts: [] }, '/params/message/parts'],
    ['parts that are no list', { parts: {} }, '/params/message/parts'],
    ['an empty part', { parts: [{}] }, '/params/message/parts/0'],
    ['two contents in one part', { parts: [{ text: 'a', data: {} }] }, '/params/message/parts/0'],
    ['a v0.3 part', { parts: [{ kind: 'text' }] }, '/params/message/parts/0'],
    ['a text that is a number', { parts: [{ text: 7 }] }, '/params/message/parts/0/text'],
    ['bytes that are not base64', { parts: [{ raw: '*' }] }, '/params/message/parts/0/raw'],
    ['an unknown role', { role: 'ADMIN' }, '/params/message/role'],
    ['the role of the agent', { role: 'ROLE_AGENT' }, '/params/message/role'],
    ['a v0.3 role', { role: 'user' }, '/params/message/role'],
    ['no message id', { messageId: undefined }, '/params/message/messageId'],
    ['6,000 parts', { parts: Array(6_000).fill({ text: 'x' }) }, '/params/message/parts'],
    ['6,000 bad parts', { parts: Array(6_000).fill({}) }, '/params/message/parts'],
  ])('%s: invalid parameters, with the field', async (_, some, field) => {
    const { error } = await send(newMessage('x', some));
    expect(error?.code).toBe(-32602);
    expect(error?.data).toEqual([
      expect.objectContaining({
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field, description: expect.any(String) }],
      }),
    ]);
  });

  test('the answer to a hundred invalid parts is bounded', async () => {
    const { error } = await send(newMessage('x', { parts: Array(100).fill({}) }));
    expect(error?.code).toBe(-32602);
    expect(JSON.stringify(error).length).toBeLessThan(5_000);
  });

  test('a missing message and parameters that are a list are refused', async () => {
    expect((await refusal(url, agent.key, 'SendMessage')).code).toBe(-32602);
    expect((await refusal(url, agent.key, 'SendMessage', [])).code).toBe(-32602);
    expect((await refusal(url, agent.key, 'GetTask', {})).code).toBe(-32602);
  });

  test("the proto's snake_case names are accepted, and unknown members are ignored", async () => {
    const message = {
      message_id: 'm',
      context_id: 'c-1',
      role: 'ROLE_USER',
      parts: [{ data: { a_b: 1 }, media_type: 'application/json' }],
      nope: 1,
    };
    const { result } = await rpc(url, agent.key, 'SendMessage', {
      message,
      configuration: { history_length: 1, return_immediately: false },
      extra: true,
    });
    expect(result?.task).toMatchObject({
      contextId: 'c-1',
      history: [{ messageId: 'm', parts: [{ data: { a_b: 1 }, mediaType: 'application/json' }] }],
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  test('hostile member names never change a prototype', async () => {
    const parts = '[{"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"x":1}}]';
    const text = `{"jsonrpc":"2.0","id":1,"__proto__":{"a":1},"method":"SendMessage","params":{"__proto__":{"b":1},"message":{"messageId":"m","role":"ROLE_USER","__proto__":{"role":"ADMIN"},"parts":${parts}}}}`;
    const { result, error } = await rpcText(url, agent.key, text);
    expect(error).toBeUndefined();
    expect(result?.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(JSON.stringify(result)).not.toContain('ADMIN');
  });

  test.each([
    ['texts that are too long for a flow', [{ text: 'ä'.repeat(40_000) }], '/parts', 65_536],
    ['data that is too large for a flow', [{ data: { x: 'x'.repeat(140_000) } }], '/parts', 131_072],
    ['data that is no variable, and too large', [{ data: 'x'.repeat(270_000) }], '', 262_144],
    [
      'parts that are too large together',
      [{ text: 'x'.repeat(60_000) }, { data: { x: 'x'.repeat(120_000) } }],
      '',
      350_000,
    ],
  ])('%s: refused with a plain message, before a task is created', async (_, parts, place, bytes) => {
    const { error } = await send(newMessage('x', { parts }));
    expect(error?.code).toBe(-32602);
    expect(error?.data?.[0]?.fieldViolations).toEqual([
      { field: `/params/message${place}`, description: expect.stringContaining(`${bytes} bytes`) },
    ]);
  });

  test('texts and data of the largest size of a flow are accepted', async () => {
    const texts = await send(newMessage('x'.repeat(65_534)));
    expect(texts.result?.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    const data = await send(newMessage('', { parts: [{ data: { x: 'x'.repeat(131_064) } }] }));
    expect(data.result?.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  });

  test('a file of a type that is not on the card is refused', async () => {
    const parts = [{ raw: 'AAAA', mediaType: 'image/png' }];
    expect((await send(newMessage('x', { parts }))).error).toMatchObject({
      code: -32005,
      message: expect.stringContaining('text/plain'),
    });
    for (const mediaType of ['text/plain', 'Text/Plain; charset=utf-8']) {
      const listed = await send(newMessage('x', { parts: [{ raw: 'AAAA', mediaType }] }));
      expect(listed.result?.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    }
  });

  test.each([
    ['0', 0, undefined],
    ['1', 1, 1],
    ['absent', undefined, 1],
  ])('a history length of %s', async (_, historyLength, length) => {
    const { result } = await send(newMessage('x'), { historyLength });
    expect(result?.task).toMatchObject({ id: expect.any(String) });
    const { history }: { history?: unknown[] } = { ...(result?.task as object) };
    expect(history?.length).toBe(length);
  });

  test('a history length that is negative or not a number is refused', async () => {
    expect((await send(newMessage('x'), { historyLength: -1 })).error?.code).toBe(-32602);
    expect((await send(newMessage('x'), { historyLength: 'one' })).error?.code).toBe(-32602);
    expect((await send(newMessage('x'), { returnImmediately: 'false' })).error?.code).toBe(-32602);
  });

  test('a stream that cannot start returns one plain error', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: {} });
    const response = await post(url, { text, key: agent.key });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } });
  });
});

describe('a finished task', () => {
  const finished = async () => {
    const { result } = await rpc(url, agent.key, 'SendMessage', {
      message: newMessage('x', { contextId: 'ctx' }),
    });
    return readTaskId(result);
  };

  test('accepts no message, and its context cannot be changed', async () => {
    const taskId = await finished();
    const to = async (some: object) =>
      (await refusal(url, agent.key, 'SendMessage', { message: newMessage('x', some) })).code;
    expect(await to({ taskId })).toBe(-32004);
    expect(await to({ taskId, contextId: 'ctx' })).toBe(-32004);
    expect(await to({ taskId, contextId: 'other' })).toBe(-32602);
    expect(await to({ taskId: crypto.randomUUID() })).toBe(-32001);
  });

  test('cannot be canceled, and does not change', async () => {
    const id = await finished();
    expect((await refusal(url, agent.key, 'CancelTask', { id })).code).toBe(-32002);
    expect((await rpc(url, agent.key, 'GetTask', { id })).result).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  test('cannot be canceled if it has failed', async () => {
    const broken = await liveAgent({ flow: failingFlow() });
    const { live } = agentUrls(broken);
    const { result } = await rpc(live, broken.key, 'SendMessage', { message: newMessage('x') });
    const id = readTaskId(result);
    expect((await refusal(live, broken.key, 'CancelTask', { id })).code).toBe(-32002);
  });

  test.each(['GetTask', 'CancelTask'])('%s of a missing task', async (method) => {
    for (const id of [crypto.randomUUID(), 'no-uuid', 'x'.repeat(256)])
      expect((await refusal(url, agent.key, method, { id })).code).toBe(-32001);
  });
});
