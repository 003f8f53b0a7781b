// Approvals of tools in the connector: a form for clients that have forms, and JSON for models.
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { agentWithTools, refundTool } from '#test/support/agents-with-tools.ts';
import { eras, mcpClient, readText } from '#test/support/connector.ts';
import type { TestAgent } from '#test/support/flows.ts';
import { newModelScript } from '#test/support/model-script.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const task = z.looseObject({ task_id: z.string(), state: z.string() });

async function callAgent(client: Client, agent: TestAgent, some: object) {
  const args = { registry_id: agent.a2aregistryid, message: 'Hello', ...some };
  const result = await client.callTool({ name: 'call_agent', arguments: args });
  return { ...task.parse(result.structuredContent), text: readText(result) };
}

async function refunding() {
  const { tool, paid } = refundTool(upstream);
  const agent = await agentWithTools([tool], { egress: [upstream.host] });
  return { agent, paid, script: newModelScript() };
}

test('a client with forms shows one with a choice and a reason, which goes to the model', async () => {
  const { agent, paid, script } = await refunding();
  const client = await mcpClient(agent, 'modern', { capabilities: { elicitation: {} } });
  const forms: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    forms.push(params);
    return { action: 'accept', content: { approved: false, reason: 'Not today.' } };
  });
  const called = callAgent(client, agent, { message: script.prompt });
  await script.callTool('refund', { amount: 90 });
  expect(await script.answer('Sorry.', 2)).toContain('The reason: Not today.');
  expect(await called).toMatchObject({ state: 'completed', text: 'Sorry.' });
  expect(forms).toMatchObject([
    {
      mode: 'form',
      message: expect.stringContaining('The agent wants to use refund'),
      requestedSchema: {
        properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
        required: ['approved'],
      },
    },
  ]);
  expect(paid(90)).toBe(0);
  await client.close();
});

test('a form with a yes and no reason approves', async () => {
  const { agent, paid, script } = await refunding();
  const client = await mcpClient(agent, 'modern', { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { approved: true, reason: '' },
  }));
  const called = callAgent(client, agent, { message: script.prompt });
  await script.callTool('refund', { amount: 90 });
  await script.answer('Paid.', 2);
  expect(await called).toMatchObject({ state: 'completed', text: 'Paid.' });
  expect(paid(90)).toBe(1);
  await client.close();
});

test.each(eras)(
  'a %s client without forms answers with a word, or with JSON that changes arguments',
  async (era) => {
    const { agent, paid, script } = await refunding();
    const client = await mcpClient(agent, era);
    const called = callAgent(client, agent, { message: script.prompt });
    await script.callTool('refund', { amount: 90 });
    const { task_id, text } = await called;
    expect(text).toContain('{"approved": true, "arguments": {…}}');
    const answer = async (message: string) => await callAgent(client, agent, { task_id, message });
    expect((await answer('{"approved":true,"arguments":{"amount":101}}')).text).toContain(
      '/arguments/amount: ',
    );
    expect((await answer('sure')).text).toMatch(/^The answer was not accepted\. .*approve, deny/);
    const done = answer('{"approved":true,"arguments":{"amount":9}}');
    await script.callTool('refund', { amount: 8 }, 2);
    const next = await done;
    expect(next).toMatchObject({ state: 'input_required' });
    const last = answer('approve');
    await script.answer('Paid.', 3);
    expect(await last).toMatchObject({ state: 'completed', text: 'Paid.' });
    expect([paid(9), paid(8), paid(90)]).toEqual([1, 1, 0]);
    await client.close();
  },
);
