// JSON-RPC 2.0 around A2A v1.0.1 (§9), from the outside: requests that are none, their ids, versions and
// types.
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, newMessage, rpcText } from '#test/support/a2a.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

let agent: TestAgent;
let url: string;
beforeAll(async () => {
  agent = await liveAgent();
  url = agentUrls(agent).live;
});

const readError = async (text: string, headers = {}) => (await rpcText(url, agent.key, text, headers)).error;
const request = (some: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', ...some });
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('the envelope', () => {
  test.each([
    ['nothing', '', -32700],
    ['text that is not JSON', '{"jsonrpc": "2.0", ', -32700],
    ['a string', '"hello"', -32600],
    ['null', 'null', -32600],
    ['a batch', `[${request({})}]`, -32600],
    ['an empty batch', '[]', -32600],
    ['no jsonrpc', '{"id":1,"method":"GetTask"}', -32600],
    ['jsonrpc 1.0', request({ jsonrpc: '1.0' }), -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['an object as id', request({ id: {} }), -32600],
    ['no id', request({ id: undefined }), -32600],
    ['JSON of 20,000 levels', nested(20_000), -32600],
    [
      'parameters of 20,000 levels',
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${nested(20_000)}}`,
      -32602,
    ],
    ['an unknown method', request({ method: 'message/send' }), -32601],
    ['a method named like a member of every object', request({ method: '__proto__' }), -32601],
  ])('%s gets the right error code, without internals', async (_, text, code) => {
    const error = await readError(text);
    expect(error?.code).toBe(code);
    expect(JSON.stringify(error)).not.toMatch(/stack|RangeError|node_modules|\.ts/i);
  });

  test.each(['s-1', 7, 0, ''])('the id %j is returned unchanged', async (id) => {
    expect((await rpcText(url, agent.key, request({ id, params: {} }))).id).toBe(id);
  });

  test.each([
    ['no method', '{"jsonrpc":"2.0","id":"r-7"}', 'r-7'],
    ['jsonrpc 1.0', request({ jsonrpc: '1.0', id: 8 }), 8],
    ['an unknown method', request({ method: 'x', id: 'r-9' }), 'r-9'],
    ['20,000 levels', `{"id":"deep","params":${nested(20_000)}}`, 'deep'],
    ['an object as id', request({ id: {} }), null],
    ['null as id', request({ id: null, method: 'x' }), null],
    ['a batch', `[${request({})}]`, null],
  ])('the error of a request with %s has the readable id', async (_, text, id) => {
    expect(await rpcText(url, agent.key, text)).toMatchObject({ id, error: { code: expect.any(Number) } });
  });

  test('a request without an id starts nothing, because no client would learn of its task, and is refused with that reason', async () => {
    const params = { message: newMessage('x', { contextId: unique('ctx') }) };
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'SendMessage', params });
    const answer = await rpcText(url, agent.key, text);
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } });
    expect(JSON.stringify(answer.error?.data)).toContain('is required: a string');
    const runs = await call('listRuns', { key: agent.key, query: { workspaceid: agent.workspaceid } });
    expect(runs.body.items.filter(({ trigger }) => trigger === 'a2a')).toEqual([]);
  });

  test('errors name what is wrong with the request, and quote none of it', async () => {
    const broken = await readError('{"jsonrpc":"2.0","id":1,"params":{"token":"hunter2"');
    expect(broken).toMatchObject({ code: -32700, message: expect.stringContaining('ends too early') });
    expect(JSON.stringify(broken)).not.toContain('hunter2');
    const huge = await readError(
      '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"a":[1e400]}}}',
    );
    expect(huge).toMatchObject({
      code: -32602,
      data: [
        {
          fieldViolations: [
            { field: '/params/message/a/0', description: expect.stringContaining('1.8e308') },
          ],
        },
      ],
    });
  });

  test.each(['application/json; charset=utf-8', 'application/a2a+json', 'Application/JSON'])(
    'the content type %s is JSON',
    async (type) => {
      expect((await readError(request({}), { 'content-type': type }))?.code).toBe(-32602);
    },
  );

  test.each([{}, { 'a2a-version': '' }, { 'a2a-version': '0.3' }, { 'a2a-version': '1.1' }])(
    'another version than 1.0, given as %j, is refused with the header to send',
    async (headers) => {
      const without = Object.keys(headers).length === 0 ? { 'a2a-version': '' } : headers;
      const error = await readError(request({}), without);
      expect(error?.code).toBe(-32009);
      expect(error?.message).toContain('A2A-Version: 1.0');
      expect(error?.data).toEqual([
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'VERSION_NOT_SUPPORTED',
          domain: 'a2a-protocol.org',
        },
      ]);
    },
  );

  test('the patch number of a version has no meaning', async () => {
    expect((await readError(request({}), { 'a2a-version': '1.0.1' }))?.code).not.toBe(-32009);
  });

  test('the version may be in the query instead', async () => {
    const { error } = await rpcText(`${url}?A2A-Version=1.0&utm=x&utm=y`, agent.key, request({}), {
      'a2a-version': '',
    });
    expect(error?.code).not.toBe(-32009);
  });
});
