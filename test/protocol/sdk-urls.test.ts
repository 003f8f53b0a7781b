// Which URL the official JavaScript client has to be given: it looks for the card beside the last part of an
// address, unless that ends with a slash.
import type { AgentCard } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { agentUrls, asTask, sending } from '#test/support/a2a.ts';
import { card, flow, newRow } from '#test/support/builders.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const answering = (build: string) => flow({ nodes: { done: { type: 'end', output: { build } } } });

let agent: TestAgent;
/** A build under test of the same flow, beside the live one. */
let candidate: { readonly a2aregistryid: string };
let urls: ReturnType<typeof agentUrls>;
beforeAll(async () => {
  agent = await liveAgent({ flow: answering('live') });
  const { flowid } = agent;
  candidate = await newRow(agent, {
    flowid,
    flow: answering('candidate'),
    agent_card: card({ name: 'New' }),
  });
  urls = agentUrls({ flowid, a2aregistryid: candidate.a2aregistryid });
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

describe.each([
  ['live', 'live'],
  ['test', 'candidate'],
  ['agent', 'candidate'],
] as const)('the %s URL', (which, build) => {
  const wayIn = {
    'its hosted URL with a slash at its end': () => factory().createFromUrl(`${urls[which]}/`),
    'the URL of its card': () => factory().createFromUrl(`${urls[which]}/.well-known/agent-card.json`, ''),
  };

  test.each(Object.entries(wayIn))('a client for %s can call and stream', async (_, make) => {
    const client = await make();
    const task = asTask(await client.sendMessage(sending('x')));
    expect(task.artifacts[0]?.parts.at(-1)?.content?.value).toEqual({ build });
    const kinds: (string | undefined)[] = [];
    for await (const event of client.sendMessageStream(sending('x'))) kinds.push(event.payload?.$case);
    expect(kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  });
});

describe('the URL without the slash', () => {
  test('the live and the agent URL have no card at the path of the client', async () => {
    await expect(nameAt(urls.live)).rejects.toThrow();
    await expect(nameAt(urls.agent)).rejects.toThrow();
  });

  test('at a test URL the client finds the card of the live build, and calls that', async () => {
    expect(await nameAt(`${urls.test}/`)).toBe('New');
    expect(await nameAt(urls.test)).not.toBe('New');
  });
});
