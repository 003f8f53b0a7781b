// Extensions of A2A (v1.0.1 §4.6), with the official clients of 1.0 and 0.3.
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import {
  DefaultAgentCardResolver as LegacyCardResolver,
  ClientFactory as LegacyClientFactory,
  ServiceParameters as LegacyServiceParameters,
  JsonRpcTransportFactory as LegacyTransportFactory,
  withA2AExtensions as withLegacyExtensions,
} from 'a2a-js-sdk-0.3/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, post, sending } from '#test/support/a2a.ts';
import { card, flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const citations = 'urn:example:citations:v2';
const signing = 'https://ext.example/signing/v1?strict=(yes)';

/** Requires two extensions, and answers with what its flow reads of them. */
let strict: TestAgent;
beforeAll(async () => {
  const extensions = [
    { uri: 'https://ext.example/geolocation/v1' },
    { uri: citations, required: true },
    { uri: signing, required: true },
  ];
  strict = await liveAgent({
    flow: flow({ nodes: { done: { type: 'end', output: { active: '{{ input.a2a.extensions }}' } } } }),
    agent_card: card({ capabilities: { extensions } }),
  });
});

const legacyMessage = () => ({
  kind: 'message' as const,
  messageId: crypto.randomUUID(),
  role: 'user' as const,
  parts: [{ kind: 'text' as const, text: 'x' }],
});

describe('the official clients', () => {
  const withKey =
    (key: string, seen: Headers[]): typeof fetch =>
    async (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-api-key', key);
      const response = await fetch(input, { ...init, headers });
      seen.push(response.headers);
      return response;
    };

  test.each([
    ['JSON-RPC', JsonRpcTransportFactory],
    ['HTTP+JSON', RestTransportFactory],
  ])('of 1.0 activate extensions over %s, and understand the refusal', async (_, Transport) => {
    const seen: Headers[] = [];
    const fetchImpl = withKey(strict.key, seen);
    const client = await new ClientFactory({
      transports: [new Transport({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }).createFromUrl(agentUrls(strict).live);
    const required = (await client.getAgentCard()).capabilities?.extensions.filter((each) => each.required);
    const uris = required?.map(({ uri }) => uri) ?? [];
    expect(uris).toEqual([citations, signing]);
    await expect(client.sendMessage(sending('x'))).rejects.toMatchObject({
      name: 'ExtensionSupportRequiredError',
      message: expect.stringContaining(uris.join(', ')),
    });
    const serviceParameters = ServiceParameters.create(withA2AExtensions(...uris));
    const task = asTask(await client.sendMessage(sending('x'), { serviceParameters }));
    expect(task.artifacts[0]?.parts[0]?.content?.value).toEqual({ active: uris });
    const states: (string | undefined)[] = [];
    for await (const event of client.sendMessageStream(sending('x'), { serviceParameters }))
      states.push(event.payload?.$case);
    expect(states).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    expect(seen.at(-1)?.get('a2a-extensions')).toBe(uris.join(','));
    expect(
      await client.getTask({ id: task.id, historyLength: 0, tenant: '' }, { serviceParameters }),
    ).toMatchObject({
      id: task.id,
    });
  });

  test('of 0.3 activate extensions under the name of theirs', async () => {
    const seen: Headers[] = [];
    const fetchImpl = withKey(strict.key, seen);
    const client = await new LegacyClientFactory({
      transports: [new LegacyTransportFactory({ fetchImpl })],
      cardResolver: new LegacyCardResolver({ fetchImpl }),
    }).createFromUrl(`${agentUrls(strict).live}v0.3/`);
    const { capabilities } = await client.getAgentCard();
    const uris = capabilities.extensions?.filter(({ required }) => required).map(({ uri }) => uri) ?? [];
    expect(uris).toEqual([citations, signing]);
    await expect(client.sendMessage({ message: legacyMessage() })).rejects.toThrow(citations);
    const serviceParameters = LegacyServiceParameters.create(withLegacyExtensions(...uris));
    expect(await client.sendMessage({ message: legacyMessage() }, { serviceParameters })).toMatchObject({
      artifacts: [{ parts: [{ kind: 'data', data: { active: uris } }] }],
    });
    expect(seen.at(-1)?.get('x-a2a-extensions')).toBe(uris.join(','));
  });
});

describe('what a flow answers under an extension', () => {
  const annotations = {
    metadata: { [citations]: { source: '{{ input.message }}' } },
    extensions: [citations],
  };
  const filled = { metadata: { [citations]: { source: 'x' } }, extensions: [citations] };
  const citing = flow({
    start: 'say',
    nodes: {
      say: { type: 'reply', text: 'Looking.', ...annotations, next: 'hand' },
      hand: {
        type: 'reply',
        text: 'Page 1',
        artifact: { artifact_id: 'pages', ...annotations },
        next: 'done',
      },
      done: {
        type: 'end',
        output: { answer: 'Done.' },
        artifacts: [{ text: 'Page 2', ...annotations }],
        response_artifact: annotations,
      },
    },
  });

  test('is in messages and artifacts, read and streamed, for clients of 1.0 and of 0.3', async () => {
    const agent = await liveAgent({ flow: citing });
    const { live } = agentUrls(agent);
    const client = await officialClient(live, agent.key);
    const task = asTask(await client.sendMessage(sending('x')));
    expect(task.artifacts).toMatchObject([filled, filled, filled]);
    expect(task.history.at(-1)).toMatchObject(filled);
    const seen: unknown[] = [];
    for await (const { payload } of client.sendMessageStream(sending('x'))) {
      if (payload?.$case === 'artifactUpdate') seen.push(payload.value.artifact);
      if (payload?.$case === 'statusUpdate') seen.push(payload.value.status?.message ?? 'ended');
    }
    expect(seen).toMatchObject([filled, filled, filled, filled, 'ended']);
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: task.id } });
    const old = await post(`${live}v0.3`, { text, key: agent.key });
    expect(await old.json()).toMatchObject({ result: { artifacts: [filled, filled, filled] } });
    const run = await call('getRunDetail', { key: agent.key, params: { workflow_id: task.id } });
    expect(run.text).toContain(JSON.stringify(filled).slice(1, -1));
  });
});
