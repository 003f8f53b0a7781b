// What an agent remembers of earlier messages: of the same context and the same caller, and of nobody else.
import type { Client } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { liveAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';

const remembering = (node: object = { type: 'llm', prompt: '{{ input.message }}' }) =>
  flow({
    models: scriptedModels,
    start: 'answer',
    nodes: { answer: { ...node, conversation: {} } },
  });

/** Sends a message, lets the model answer, and returns what the model was asked. */
async function say(client: Client, text: string, contextId: string): Promise<readonly string[]> {
  const script = newModelScript();
  const sent = client.sendMessage(sending(`${text} ${script.prompt}`, { contextId }));
  const { messages } = request.parse(JSON.parse(await script.answer(`re: ${text}`)));
  expect(asTask(await sent).status?.message).toBeUndefined();
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${content.replace(/ script_\w+/, '')}`);
}

const request = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

const contextId = 'talk';

test.each([
  ['an llm node', { type: 'llm', prompt: '{{ input.message }}' }],
  ['an agent', { type: 'agent', instructions: 'Be brief.' }],
])('%s remembers the messages of a context', async (_name, node) => {
  const agent = await liveAgent({ flow: remembering(node) });
  const client = await officialClient(agentUrls(agent).agent, agent.key);
  expect(await say(client, 'one', contextId)).toEqual(['user: one']);
  expect(await say(client, 'two', contextId)).toEqual(['user: one', 'assistant: re: one', 'user: two']);
  expect(await say(client, 'three', contextId)).toHaveLength(5);
  expect(await say(client, 'other', 'another')).toEqual(['user: other']);
});

describe('a conversation is not seen', () => {
  test('by another key or organisation that names the same context', async () => {
    const agent = await liveAgent({ flow: remembering(), visibility: 'public' });
    const url = agentUrls(agent).agent;
    await say(await officialClient(url, agent.key), 'secret', contextId);
    for (const other of [await newCaller({ orgid: agent.orgid }), await newCaller()])
      expect(await say(await officialClient(url, other.key), 'mine', contextId)).toEqual(['user: mine']);
  });

  test('by another flow, nor by a build under test', async () => {
    const agent = await liveAgent({ flow: remembering() });
    await say(await officialClient(agentUrls(agent).agent, agent.key), 'secret', contextId);
    const other = await liveAgent({ flow: remembering() }, agent);
    expect(await say(await officialClient(agentUrls(other).agent, agent.key), 'mine', contextId)).toEqual([
      'user: mine',
    ]);
    const next = await newRow(agent, { flowid: agent.flowid, flow: remembering() });
    const tested = await officialClient(agentUrls({ ...agent, ...next }).test, agent.key);
    expect(await say(tested, 'mine', contextId)).toEqual(['user: mine']);
  });
});
