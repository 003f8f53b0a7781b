// An access token is for this service alone: nothing that an agent sends carries it, whoever started the agent.
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { mcpRequest } from '#test/support/connector.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newPerson } from '#test/support/person.ts';
import { newToken } from '#test/support/tokens.ts';

const sent: string[] = [];
const record = async (request: IncomingMessage) =>
  void sent.push(JSON.stringify([request.url, request.rawHeaders, await text(request)]));
const server = createServer(async (request, response) => {
  await record(request);
  response.setHeader('content-type', 'application/json').end('{}');
});

let url: string;
beforeAll(async () => {
  url = await listen(server, 0);
});
afterAll(() => closeServer(server));

/** It sends what it knows of its call. */
const reporting = () =>
  flow({
    egress: [new URL(url).host],
    start: 'report',
    nodes: {
      report: {
        type: 'http',
        method: 'POST',
        url: `${url}/report`,
        body: { input: '{{ input }}' },
        next: 'done',
      },
      done: { type: 'end', output: { done: true } },
    },
  });

const person = await newPerson();
const colleague = await newCaller({ orgid: person.orgid });

async function expectNotSent(token: string): Promise<void> {
  const requests = sent.splice(0);
  expect(requests.length).toBeGreaterThan(0);
  // Neither the token nor one of its parts, which are long and random.
  for (const part of token.split('.')) expect(requests.join('\n')).not.toContain(part);
}

test.each<[string, 'api' | 'connector', (agent: TestAgent, key: string) => Promise<unknown>]>([
  [
    'the connector',
    'connector',
    async ({ a2aregistryid }, key) =>
      await mcpRequest({ key }, 'tools/call', {
        name: 'call_agent',
        arguments: { registry_id: a2aregistryid, message: 'Hello' },
      }),
  ],
  [
    'A2A',
    'api',
    async ({ a2aregistryid }, key) =>
      await call('callAgent', {
        key,
        params: { registryId: a2aregistryid },
        text: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'SendMessage',
          params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
        }),
      }),
  ],
  [
    'the synchronous trigger',
    'api',
    async ({ workspaceid, flowid }, key) =>
      await call('triggerFlow', {
        key,
        params: { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' },
        body: { message: 'Hello' },
      }),
  ],
])('by %s', async (_door, resource, start) => {
  const agent = await liveAgent({ flow: reporting() }, colleague);
  const token = await newToken(person, { resource, scopes: ['agents:call', 'assistants.flows:run'] });
  await start(agent, token);
  await expectNotSent(token);
});
