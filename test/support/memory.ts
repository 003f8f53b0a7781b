// Flows that store something beyond their runs, and the routes that list and delete it.
import type { Client } from '@a2a-js/sdk/client';
import * as z from 'zod';
import type { MemoryEntry } from '#lib/memory/memory-entry.ts';
import { asTask, sending } from './a2a.ts';
import { flow } from './builders.ts';
import { call } from './client.ts';
import { liveAgent, type TestAgent } from './flows.ts';
import { newModelScript, scriptedModels } from './model-script.ts';

/** Remembers the A2A context, or the conversation of a key. */
export const rememberingFlow = (conversation: Readonly<Record<string, string>> = {}) =>
  flow({
    models: scriptedModels,
    start: 'answer',
    nodes: { answer: { type: 'llm', prompt: '{{ input.message }}', conversation } },
  });

/** Stores a value under the key that the message is. */
const storingFlow = flow({
  start: 'store',
  nodes: {
    store: { type: 'store', put: '{{ input.message }}', value: 'canary-of-memory' },
  },
});

/** An agent whose flow has stored a value under each key. */
export async function storingAgent(keys: readonly string[]): Promise<TestAgent> {
  const agent = await liveAgent({ flow: storingFlow });
  for (const message of keys) await storeBy(agent, message);
  return agent;
}

export async function storeBy(agent: TestAgent, message: string): Promise<void> {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  await call('triggerFlow', { key: agent.key, params, body: { message } });
}

type Query = Readonly<Record<string, string>>;

const ofFlow = ({ flowid: flow_id }: TestAgent, environment: string) => ({ flow_id, environment });

export const listPage = (agent: TestAgent, query: Query = {}, environment = 'live') =>
  call('listMemory', {
    key: agent.key,
    params: ofFlow(agent, environment),
    query: { workspaceid: agent.workspaceid, ...query },
  });

export const listAll = async (agent: TestAgent, environment = 'live'): Promise<MemoryEntry[]> =>
  (await listPage(agent, { limit: '200' }, environment)).body.items;

export const deleteEntry = (agent: TestAgent, memory_id: string, environment = 'live') =>
  call('deleteMemory', {
    key: agent.key,
    params: { ...ofFlow(agent, environment), memory_id },
    query: { workspaceid: agent.workspaceid },
  });

const request = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

/**
 * Sends a message over A2A, and returns what the model was asked. `during` happens when the conversation was
 * read, and before the model answers.
 */
export async function say(
  client: Client,
  text: string,
  contextId: string,
  during: () => Promise<unknown> = async () => undefined,
): Promise<readonly string[]> {
  const script = newModelScript();
  const sent = client.sendMessage(sending(`${text} ${script.prompt}`, { contextId }));
  // Resolves when the model was asked.
  await script.say('re: ');
  await during();
  const { messages } = request.parse(JSON.parse(await script.answer(text)));
  await asTask(await sent);
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${content.replace(/ script_\w+/, '')}`);
}
