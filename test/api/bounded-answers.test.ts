// An answer that lists mistakes is of a size that the service chooses, however many mistakes there are and
// however long what they name.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '#lib/http/route.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { agentUrls, rpcText } from '#test/support/a2a.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

const isOperation = (id: string): id is OperationId => id in routes;
const withBody = routeList.filter(
  (row): row is [OperationId, Route] => isOperation(row[0]) && row[1].body !== undefined,
);

let caller: TestCaller;
beforeAll(async () => {
  caller = await newCaller();
});

/** As long as a list of twenty mistakes is at most, and some words around it. */
const floorBytes = 45_000;
const values = {
  limit: '1',
  environment: 'dev',
  name: 'x',
  a2aregistryid: 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E',
  workflow_id: '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e',
};

async function refused(id: OperationId, text: string) {
  const { path } = routes[id];
  const params = Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, Reflect.get(values, name) ?? 'x']),
  );
  const answer = await call(id, {
    key: caller.key,
    text,
    params,
    query: { workspaceid: caller.workspaceid },
  });
  const { problem } = answer;
  expect(problem.status, answer.text.slice(0, 300)).toBe(400);
  expect(answer.text.length).toBeLessThan(Math.min(64_000, 3 * text.length + floorBytes));
  expect(problem.errors?.length).toBeGreaterThan(0);
  expect(problem.errors?.length).toBeLessThanOrEqual(20);
  return problem;
}

const members = (count: number, value = '0') =>
  Array.from({ length: count }, (_, n) => `"${n.toString(36)}":${value}`).join(',');

describe('a body', () => {
  // The body of a webhook is any JSON: no member of it is unknown.
  test.each(withBody.filter(([id]) => id !== 'acceptWebhook'))(
    'with unknown members is answered with the first twenty and their number: %s',
    async (id) => {
      const problem = await refused(id, `{"type":"http_bearer",${members(20_000)}}`);
      expect(problem.errors_total).toBeGreaterThanOrEqual(20_000);
    },
  );

  test.each(withBody)('with names of 5 KB is not repeated in the answer: %s', async (id) => {
    await refused(id, `{${Array.from({ length: 40 }, (_, n) => `"${n}${'n'.repeat(5_000)}":1`).join(',')}}`);
  });

  test.each(withBody)('with a name of control characters is not repeated in the answer: %s', async (id) => {
    await refused(id, `{"${'\\u0001'.repeat(30_000)}":1}`);
  });

  test.each<[string, OperationId, string]>([
    [
      '60,000 scopes',
      'createApiKey',
      `{"label":"x","workspaces":"*","scopes":[${'"x",'.repeat(60_000)}"x"]}`,
    ],
    [
      '100,000 workspaces',
      'createApiKey',
      `{"label":"x","scopes":[],"workspaces":[${'0,'.repeat(100_000)}0]}`,
    ],
    ['25,000 pins', 'setEnvironment', `{"env":{},"pins":{${members(25_000)}}}`],
    ['25,000 variables', 'setEnvironment', `{"pins":{},"env":{${members(25_000)}}}`],
    [
      '100,000 hosts',
      'putConnection',
      `{"type":"http_bearer","credential":{"token":"12345678"},"hosts":[${'0,'.repeat(100_000)}0]}`,
    ],
    ['300,000 unknown members', 'createRegistryRow', `{${members(300_000)}}`],
    ['300,000 variables', 'createRegistryRow', `{"env_variable":{${members(300_000)}}}`],
    ['a million skills', 'createRegistryRow', `{"agent_card":{"skills":[${'0,'.repeat(1_000_000)}0]}}`],
  ])('with %s is refused', async (_, id, text) => {
    await refused(id, text);
  });

  test.each([
    [
      'unknown fields',
      `{"version":1,"name":"x","start":"a","nodes":{"a":{"type":"end",${members(100_000)}}}}`,
    ],
    ['unknown nodes', `{"version":1,"name":"x","start":"a","nodes":{${members(400, '{"type":"wait"}')}}}`],
    [
      'hosts',
      `{"version":1,"name":"x","start":"a","egress":[${'0,'.repeat(500_000)}0],"nodes":{"a":{"type":"end"}}}`,
    ],
    [
      'headers',
      `{"version":1,"name":"x","start":"a","nodes":{"a":{"type":"http","url":"https://x.example","headers":{${members(150_000)}}}}}`,
    ],
    [
      'tests',
      `{"version":1,"name":"x","start":"a","nodes":{"a":{"type":"end"}},"tests":[${'0,'.repeat(300_000)}0]}`,
    ],
    [
      'a long name',
      `{"version":1,"name":"x","start":"${'s'.repeat(200_000)}","nodes":{"a":{"type":"end","next":"${'n'.repeat(200_000)}"}}}`,
    ],
  ])('with a flow that has too many mistakes in its %s is refused', async (_, flow) => {
    const card = '{"name":"n","description":"d","skills":[{"id":"i","name":"n","description":"d"}]}';
    await refused('createRegistryRow', `{"flowid":"bounded","agent_card":${card},"flow":${flow}}`);
  });
});

test('a query with unknown names is answered with the first twenty and their number', async () => {
  const query = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`name${n}${'n'.repeat(20)}`, '1']));
  const { problem, text } = await call('listApiKeys', { key: caller.key, query });
  expect(problem).toMatchObject({ errors: { length: 20 }, errors_total: 300 });
  expect(text.length).toBeLessThan(floorBytes);
});

describe('a message over A2A', () => {
  const sent = (params: string, id = '1') =>
    `{"jsonrpc":"2.0","id":${id},"method":"SendMessage","params":${params}}`;

  test.each([
    [
      '400,000 output modes',
      sent(`{"message":{},"configuration":{"acceptedOutputModes":[${'0,'.repeat(400_000)}0]}}`),
    ],
    ['400,000 parts', sent(`{"message":{"parts":[${'0,'.repeat(400_000)}0]}}`)],
    ['bad parts', sent(`{"message":{"parts":[${'{"text":0},'.repeat(99)}0]}}`)],
    ['a long id', sent('{}', `"${'i'.repeat(900_000)}"`)],
    ['a long method', `{"jsonrpc":"2.0","id":1,"method":"${'m'.repeat(900_000)}"}`],
  ])('with %s is answered with an error of bounded size', async (_, text) => {
    const agent = await liveAgent();
    const answer = await rpcText(agentUrls(agent).live, agent.key, text);
    expect(answer.error?.code).toBeLessThan(0);
    expect(JSON.stringify(answer).length).toBeLessThan(floorBytes);
  });

  test.each([
    [
      'a text',
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"\\ud800"}]}}',
      '/params/message/parts/0/text',
    ],
    [
      'data',
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"a":["\\udc00"]}}]}}',
      '/params/message/parts/0/data/a/0',
    ],
    [
      'a name in metadata',
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":{"\\ud800":1}}}',
      '/params/message/metadata/\ufffd',
    ],
    [
      'the metadata of the request',
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"metadata":{"a":"\\ud800"}}',
      '/params/metadata/a',
    ],
  ])('with a lone surrogate in %s is refused with its pointer', async (_, params, pointer) => {
    const agent = await liveAgent();
    const { error } = await rpcText(agentUrls(agent).live, agent.key, sent(params));
    expect(error?.code).toBe(-32602);
    expect(JSON.stringify(error?.data)).toContain(JSON.stringify(pointer).slice(1, -1));
  });

  test('whose id has a lone surrogate is refused, and the id is not returned', async () => {
    const agent = await liveAgent();
    const text = '{"jsonrpc":"2.0","id":"\\ud800","method":"GetTask","params":{"id":"x"}}';
    const { id, error } = await rpcText(agentUrls(agent).live, agent.key, text);
    expect({ id, code: error?.code }).toEqual({ id: null, code: -32600 });
  });
});
