// Questions that need more than a word: what `call_agent` shows of them to clients without forms.
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { flow } from '#test/support/builders.ts';
import { eras, mcpClient, readText } from '#test/support/connector.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';

const task = z.looseObject({ task_id: z.string(), state: z.string() });

async function callAgent(client: Client, agent: TestAgent, some: object = {}) {
  const args = { registry_id: agent.a2aregistryid, message: 'Hello', ...some };
  const result = await client.callTool({ name: 'call_agent', arguments: args });
  return { ...task.parse(result.structuredContent), text: readText(result) };
}

describe.each(eras)('a %s client', (era) => {
  test('is shown what form an answer has, and what is wrong with one', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const where = { type: 'ask', prompt: 'Where?', schema, next: 'done' };
    const nodes = { where, done: { type: 'end', output: { answer: '{{ nodes.where.city }}' } } };
    const agent = await liveAgent({ flow: flow({ start: 'where', nodes }) });
    const client = await mcpClient(agent, era);
    const asked = await callAgent(client, agent);
    expect(asked.text).toContain(`The answer is JSON of this schema: ${JSON.stringify(schema)}`);
    const answer = async (message: string) =>
      await callAgent(client, agent, { task_id: asked.task_id, message });
    expect((await answer('Rome')).text).toMatch(
      /^The answer was not accepted\. The message does not fit: expected object, got string\.\n/,
    );
    expect(await answer('{"city":"Rome"}')).toMatchObject({ state: 'completed', text: 'Rome' });
    await client.close();
  });

  test('is asked several questions one after the other', async () => {
    const branch = (id: string) => ({ start: id, nodes: { [id]: { type: 'ask', prompt: `Which ${id}?` } } });
    const nodes = {
      both: {
        type: 'parallel',
        branches: { first: branch('color'), second: branch('size') },
        next: 'done',
      },
      done: { type: 'end', output: { answer: '{{ nodes.both.first }} {{ nodes.both.second }}' } },
    };
    const agent = await liveAgent({ flow: flow({ start: 'both', nodes }) });
    const client = await mcpClient(agent, era);
    const { task_id, text } = await callAgent(client, agent);
    expect(text).toMatch(/^The agent asks: Which color\?\n\nThe answer is .* Another one follows\.\n/);
    const next = await callAgent(client, agent, { task_id, message: 'red' });
    expect(next.text).toMatch(/^The agent asks: Which size\?\n\nAsk the user/);
    const done = await callAgent(client, agent, { task_id, message: 'large' });
    expect(done).toMatchObject({ state: 'completed', text: 'red large' });
    await client.close();
  });
});
