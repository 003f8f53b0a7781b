// Each error of A2A over both bindings (A2A v1.0.1 §5.4), from one table.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type A2AErrorName, a2aErrors } from '#lib/a2a/errors.ts';
import { agentUrls, httpRefusal, newMessage, readTaskId, rpc, rpcText } from '#test/support/a2a.ts';
import { card } from '#test/support/builders.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

let agent: TestAgent;
let url: string;
/** Requires an extension. */
let strict: TestAgent;
/** The id of a task that has ended. */
let ended: string;
beforeAll(async () => {
  agent = await liveAgent();
  url = agentUrls(agent).live;
  const extensions = [{ uri: 'urn:example:signing:v1', required: true }];
  strict = await liveAgent({ agent_card: card({ capabilities: { extensions } }) });
  const { result } = await rpc(url, agent.key, 'SendMessage', { message: newMessage('x') });
  ended = readTaskId(result);
});

interface ErrorCase {
  readonly name: A2AErrorName;
  /** The JSON-RPC request, as text or by its method and parameters; absent for an error that only HTTP has. */
  readonly rpc?: string | readonly [method: string, params: object];
  /** Absent for an error that only JSON-RPC has. */
  readonly http?: {
    readonly method?: string;
    readonly path: string;
    readonly body?: unknown;
    readonly text?: string;
  };
  readonly headers?: Readonly<Record<string, string>>;
  /** Another agent than the usual one. */
  readonly agent?: () => TestAgent;
}

const file = { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: 'AAAA', mediaType: 'image/png' }] };
const unknownId = '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e';
const task = (suffix = '') => `/tasks/${ended}${suffix}`;

const cases = (): readonly ErrorCase[] => [
  { name: 'PARSE_ERROR', rpc: '{', http: { path: '/message:send', text: '{' } },
  { name: 'INVALID_REQUEST', rpc: '{"jsonrpc":"2.0","id":1}' },
  { name: 'METHOD_NOT_ALLOWED', http: { method: 'DELETE', path: '/tasks' } },
  {
    name: 'METHOD_NOT_FOUND',
    rpc: ['message/send', {}],
    http: { method: 'POST', path: '/message/send' },
  },
  {
    name: 'INVALID_PARAMS',
    rpc: ['SendMessage', { message: { ...newMessage('x'), parts: [] } }],
    http: { path: '/message:send', body: { message: { ...newMessage('x'), parts: [] } } },
  },
  { name: 'TASK_NOT_FOUND', rpc: ['GetTask', { id: unknownId }], http: { path: `/tasks/${unknownId}` } },
  {
    name: 'TASK_NOT_CANCELABLE',
    rpc: ['CancelTask', { id: ended }],
    http: { method: 'POST', path: task(':cancel') },
  },
  {
    name: 'UNSUPPORTED_OPERATION',
    rpc: ['SubscribeToTask', { id: ended }],
    http: { path: task(':subscribe') },
  },
  {
    name: 'CONTENT_TYPE_NOT_SUPPORTED',
    rpc: ['SendMessage', { message: file }],
    http: { path: '/message:send', body: { message: file } },
  },
  {
    name: 'EXTENSION_SUPPORT_REQUIRED',
    rpc: ['SendMessage', { message: newMessage('x') }],
    http: { path: '/message:send', body: { message: newMessage('x') } },
    agent: () => strict,
  },
  {
    name: 'VERSION_NOT_SUPPORTED',
    rpc: ['GetTask', { id: ended }],
    http: { path: task() },
    headers: { 'a2a-version': '0.9' },
  },
];

/** Those that no request provokes by itself, with the reason. */
const provokedElsewhere: Readonly<Partial<Record<A2AErrorName, string>>> = {
  INTERNAL_ERROR: 'test/api/a2a/rare-errors.test.ts',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'test/api/a2a/rare-errors.test.ts',
  // An extended card that is declared is made when it is requested.
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'never',
  // Says that an agent behind the server answered with something that is not A2A. Here the server makes the task itself.
  INVALID_AGENT_RESPONSE: 'never',
};

test('every error of the table is provoked, here or where it is said', () => {
  const here = cases().map(({ name }) => name);
  expect([...here, ...Object.keys(provokedElsewhere)].sort()).toEqual(Object.keys(a2aErrors).sort());
  for (const [name, file] of Object.entries(provokedElsewhere))
    if (file !== 'never')
      expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(`'${name}'`);
});

const overRpc = cases().filter((each) => each.rpc);
const overHttp = cases().filter((each) => each.http);

describe('the error', () => {
  test.each(overRpc.map(({ name }) => name))('%s has its code and reason over JSON-RPC', async (name) => {
    const { rpc: sent = '', headers, agent: own = () => agent } = find(name);
    const text =
      typeof sent === 'string'
        ? sent
        : JSON.stringify({ jsonrpc: '2.0', id: 1, method: sent[0], params: sent[1] });
    const { error } = await rpcText(agentUrls(own()).live, own().key, text, headers);
    expect(error?.code).toBe(a2aErrors[name].code);
    expect(error?.message).toBeTruthy();
    const reasons = (error?.data ?? []).flatMap(({ reason }) => reason ?? []);
    expect(reasons).toEqual(a2aErrors[name].code > -32100 ? [name] : []);
  });

  test.each(overHttp.map(({ name }) => name))('%s has its status and reason over HTTP+JSON', async (name) => {
    const { http = { path: '' }, headers, agent: own = () => agent } = find(name);
    const { path, ...request } = http;
    const sent = { ...request, key: own().key, ...(headers && { headers }) };
    const error = await httpRefusal(agentUrls(own()).live, path, sent);
    const { httpStatus, status } = a2aErrors[name];
    expect(error).toMatchObject({ code: httpStatus, status, reason: name });
  });

  test('of invalid parameters names their fields in both bindings', async () => {
    const message = newMessage('x', { parts: [{}], role: 'ADMIN' });
    const overRpc = (await rpc(url, agent.key, 'SendMessage', { message })).error?.data;
    const { details } = await httpRefusal(url, '/message:send', { key: agent.key, body: { message } });
    const type = 'type.googleapis.com/google.rpc.BadRequest';
    const violations = (root: string) =>
      ['message/role', 'message/parts/0'].map((field) => ({
        field: `${root}/${field}`,
        description: expect.stringMatching(/^must/),
      }));
    expect(overRpc).toEqual([{ '@type': type, fieldViolations: violations('/params') }]);
    expect(details[1]).toEqual({ '@type': type, fieldViolations: violations('') });
    const query = await httpRefusal(url, `${task()}?historyLength=-1`, { key: agent.key });
    expect(query).toMatchObject({
      code: 400,
      details: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: [{ field: '/historyLength' }] }],
    });
  });
});

function find(name: string): ErrorCase {
  const found = cases().find((each) => each.name === name);
  if (!found) throw new Error(`There is no case for ${name}.`);
  return found;
}
