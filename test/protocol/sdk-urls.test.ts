// Which URL the official JavaScript client has to be given: it resolves the path of the card against it, so
// the slash at the end of `hosted_url` decides which card it finds.
import type { AgentCard } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, asTask, newMessage, rpc, sending } from '#test/support/a2a.ts';
import { card, flow, newRow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const answering = (build: string) => flow({ nodes: { done: { type: 'end', output: { build } } } });

let agent: TestAgent;
let urls: Readonly<Record<'live' | 'test' | 'agent', string>>;
let hostedUrls: { readonly live: string; readonly test: string };
beforeAll(async () => {
  agent = await liveAgent({ flow: answering('live') });
  const { flowid, key } = agent;
  const params = { a2aregistryid: agent.a2aregistryid };
  const live = (await call('getRegistryRow', { key, params })).body;
  // A build under test of the same flow, beside the live one.
  const candidate = await newRow(agent, {
    flowid,
    flow: answering('candidate'),
    agent_card: card({ name: 'New' }),
  });
  hostedUrls = { live: live.hosted_url, test: candidate.hosted_url };
  urls = { ...hostedUrls, agent: agentUrls({ ...agent, a2aregistryid: candidate.a2aregistryid }).agent };
});

const withKey: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('x-api-key', agent.key);
  return fetch(input, { ...init, headers });
};
const factory = () =>
  new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl: withKey })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl: withKey }),
  });
const nameAt = async (url: string): Promise<AgentCard['name']> =>
  (await new DefaultAgentCardResolver({ fetchImpl: withKey }).resolve(url)).name;
const withoutSlash = (url: string) => url.replace(/\/$/, '');

describe.each([
  ['live', 'live'],
  ['test', 'candidate'],
  ['agent', 'candidate'],
] as const)('the %s URL', (which, build) => {
  const clients = {
    'the hosted URL': () => factory().createFromUrl(urls[which]),
    'the URL of its card': () => factory().createFromUrl(`${urls[which]}.well-known/agent-card.json`, ''),
  };

  test.each(Object.entries(clients))('a client for %s can call and stream', async (_, create) => {
    const client = await create();
    const task = asTask(await client.sendMessage(sending('x')));
    expect(task.artifacts[0]?.parts.at(-1)?.content?.value).toBe(build);
    const kinds: (string | undefined)[] = [];
    for await (const event of client.sendMessageStream(sending('x'))) kinds.push(event.payload?.$case);
    expect(kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  });

  test('calls and cards are served with and without the slash', async () => {
    for (const url of [urls[which], withoutSlash(urls[which])]) {
      const { result } = await rpc(url, agent.key, 'SendMessage', { message: newMessage('x') });
      expect(JSON.stringify(result)).toContain(`"text":"${build}"`);
    }
    const cardUrl = `${urls[which]}.well-known/agent-card.json`;
    const texts = await Promise.all(
      [cardUrl, `${cardUrl}/`].map(async (url) => await (await withKey(url)).text()),
    );
    expect(texts[1]).toBe(texts[0]);
  });
});

test('hosted_url ends with a slash, and is the URL of the card', async () => {
  for (const url of Object.values(hostedUrls)) {
    expect(url).toMatch(/[^/]\/$/);
    const { supportedInterfaces } = await new DefaultAgentCardResolver({ fetchImpl: withKey }).resolve(url);
    expect(supportedInterfaces[0]?.url).toBe(url);
  }
});

describe('a URL without the slash', () => {
  test('the live and the agent URL have no card at the path of the client', async () => {
    await expect(nameAt(withoutSlash(urls.live))).rejects.toThrow();
    await expect(nameAt(withoutSlash(urls.agent))).rejects.toThrow();
  });

  test('at a test URL the client finds the card of the live build', async () => {
    expect(await nameAt(urls.test)).toBe('New');
    expect(await nameAt(withoutSlash(urls.test))).not.toBe('New');
  });
});
