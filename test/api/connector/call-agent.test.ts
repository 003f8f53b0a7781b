// The tool `call_agent` by the official client of MCP: every state of a task, with and without forms and pages, and
// the tasks of others.
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newRegistryId, newRunId } from '#lib/ids.ts';
import { agentUrls, officialClient } from '#test/support/a2a.ts';
import { fillIn } from '#test/support/agent-config.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { eras, mcpClient, readText } from '#test/support/connector.ts';
import {
  askingFlow,
  callingFlow,
  failingFlow,
  liveAgent,
  replyingFlow,
  type TestAgent,
} from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { runState } from '#test/support/run-calls.ts';
import { eventually } from '#test/support/runs.ts';
import { testedService } from '#test/support/tested-service.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

const task = z.looseObject({
  task_id: z.string(),
  context_id: z.string(),
  state: z.string(),
  text: z.string(),
  artifacts: z.array(z.looseObject({ parts: z.array(z.looseObject({})) })),
  auth_url: z.string().optional(),
  retry_after_seconds: z.number().optional(),
});

async function callAgent(client: Client, agent: TestAgent, some: object = {}) {
  const args = { registry_id: agent.a2aregistryid, message: 'Hello', ...some };
  const result = await client.callTool({ name: 'call_agent', arguments: args });
  return { result, ...task.parse(result.structuredContent), text: readText(result) };
}

async function refusedCall(client: Client, args: object): Promise<string> {
  const result = await client.callTool({ name: 'call_agent', arguments: { message: 'Hello', ...args } });
  expect(result.isError).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  return readText(result);
}

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  await upstream.close();
});

const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'], label: 'The CRM' } };

describe.each(eras)('a %s client', (era) => {
  test('receives the answer of an agent, as a text and with its artifacts', async () => {
    const agent = await liveAgent();
    const client = await mcpClient(agent, era);
    const { result, text, state, artifacts } = await callAgent(client, agent);
    expect(result.isError).toBeFalsy();
    expect({ text, state }).toEqual({ text: 'Hello', state: 'completed' });
    expect(artifacts).toMatchObject([
      { artifact_id: 'response', parts: [{ text: 'Hello', media_type: 'text/plain' }] },
    ]);
    await client.close();
  });

  test('is asked the question of an agent, and answers it by another call', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const client = await mcpClient(agent, era);
    const asked = await callAgent(client, agent, { message: 'order 7' });
    expect(asked.state).toBe('input_required');
    expect(asked.text).toContain('Refund order 7? (yes, no)');
    expect(asked.text).toContain(asked.task_id);
    const wrong = await callAgent(client, agent, { task_id: asked.task_id, message: 'perhaps' });
    expect(wrong.result.isError).toBe(true);
    expect(wrong.text).toMatch(/^The answer was not accepted\. .*yes, no/s);
    expect(wrong.state).toBe('input_required');
    const done = await callAgent(client, agent, { task_id: asked.task_id, message: 'yes' });
    expect(done).toMatchObject({ state: 'completed', text: 'yes', task_id: asked.task_id });
    await client.close();
  });

  test('is given the page on which to store missing connections, and continues the same task', async () => {
    const agent = await liveAgent({ flow: flow({ connections }) });
    const client = await mcpClient(agent, era);
    const asked = await callAgent(client, agent);
    expect(asked.state).toBe('auth_required');
    expect(asked.auth_url).toContain(`${testedService().baseUrl}/public/agent-config?`);
    expect(asked.text).toContain(asked.auth_url ?? '-');
    expect(asked.text).toContain('crm (The CRM, of the organisation)');
    const early = await callAgent(client, agent, { task_id: asked.task_id, message: 'continue' });
    expect(early).toMatchObject({ state: 'auth_required', task_id: asked.task_id });
    await putConnection(agent, 'crm', bearer());
    const done = await callAgent(client, agent, { task_id: asked.task_id, message: 'continue' });
    expect(done).toMatchObject({ state: 'completed', text: 'Hello', task_id: asked.task_id });
    await client.close();
  });

  test('gets a question that it has not been shown, in place of delivering "continue"', async () => {
    const agent = await liveAgent({ flow: { ...askingFlow(), connections } });
    const client = await mcpClient(agent, era);
    const { task_id, state } = await callAgent(client, agent, { message: 'order 7' });
    expect(state).toBe('auth_required');
    await putConnection(agent, 'crm', bearer());
    const send = async (message: string) => await callAgent(client, agent, { task_id, message });
    for (const message of ['continue', 'Continue', ' continue '])
      expect(await send(message)).toMatchObject({
        state: 'input_required',
        text: expect.stringMatching(/^The agent asks: Refund order 7\?/),
      });
    expect(await send('yes')).toMatchObject({ state: 'completed', text: 'yes' });
    await client.close();
  });

  test('"continue" is an answer where it is one of the choices', async () => {
    const nodes = {
      ask: { type: 'ask', prompt: 'What now?', choices: ['continue', 'stop'], next: 'done' },
      done: { type: 'end', output: { answer: '{{ nodes.ask }}' } },
    };
    const agent = await liveAgent({ flow: flow({ start: 'ask', nodes }) });
    const client = await mcpClient(agent, era);
    const { task_id } = await callAgent(client, agent);
    const done = await callAgent(client, agent, { task_id, message: 'continue' });
    expect(done).toMatchObject({ state: 'completed', text: 'continue' });
    await client.close();
  });

  test('receives the task id of an agent that still works, and the result by it', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const client = await mcpClient(agent, era);
    const working = await callAgent(client, agent, { wait_seconds: 0 });
    expect(working).toMatchObject({ state: 'working', retry_after_seconds: 5, artifacts: [] });
    expect(working.text).toContain(working.task_id);
    await upstream.arrived(gate);
    upstream.open(gate);
    const done = await callAgent(client, agent, { task_id: working.task_id, message: 'continue' });
    expect(done).toMatchObject({ state: 'completed', task_id: working.task_id });
    const again = await callAgent(client, agent, { task_id: working.task_id, message: 'another' });
    expect(again.state).toBe('completed');
    expect(again.text).toContain('This task has ended, so the message was not delivered.');
    await client.close();
  });

  test('stores the missing value on the page that it was given, and continues the same task', async () => {
    const agent = await liveAgent({ flow: flow({ connections }) });
    const client = await mcpClient(agent, era);
    const asked = await callAgent(client, agent);
    expect(asked.state).toBe('auth_required');
    const page = await fillIn(asked.auth_url ?? '', { token: 'hunter2' });
    expect(page.status).toBeLessThan(400);
    const done = await callAgent(client, agent, { task_id: asked.task_id, message: 'continue' });
    expect(done).toMatchObject({ state: 'completed', text: 'Hello', task_id: asked.task_id });
    await client.close();
  });

  test('receives a rejected task as an error, with its reason', async () => {
    const no = { type: 'end', as: 'rejected', output: { answer: 'Not on Sundays.' } };
    const agent = await liveAgent({ flow: flow({ start: 'no', nodes: { no } }) });
    const client = await mcpClient(agent, era);
    const { result, state, text } = await callAgent(client, agent);
    expect({ isError: result.isError, state }).toEqual({ isError: true, state: 'rejected' });
    expect(text).toContain('Not on Sundays.');
    await client.close();
  });

  test('receives a failed task as an error, with its reason', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const client = await mcpClient(agent, era);
    const { result, state, text } = await callAgent(client, agent, { message: 'chairs' });
    expect({ isError: result.isError, state }).toEqual({ isError: true, state: 'failed' });
    expect(text).toContain('No stock of chairs.');
    await client.close();
  });
});

describe('forms and pages', () => {
  const withElicitation = (modes: { form?: object; url?: object }) => ({
    capabilities: { elicitation: JSON.parse(JSON.stringify(modes)) },
  });

  test('a client with forms shows the question, and its answer goes to the task', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const client = await mcpClient(agent, 'modern', withElicitation({ form: {} }));
    const forms: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params);
      return { action: 'accept', content: { answer: 'no' } };
    });
    const done = await callAgent(client, agent, { message: 'order 8' });
    expect(done).toMatchObject({ state: 'completed', text: 'no' });
    expect(forms).toEqual([
      expect.objectContaining({
        mode: 'form',
        message: 'Refund order 8? (yes, no)',
        requestedSchema: {
          type: 'object',
          properties: { answer: { type: 'string', enum: ['yes', 'no'] } },
          required: ['answer'],
        },
      }),
    ]);
    await client.close();
  });

  test('a user who declines leaves the question open, with the id of the task', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const client = await mcpClient(agent, 'modern', withElicitation({}));
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    const asked = await callAgent(client, agent, { message: 'order 9' });
    expect(asked.state).toBe('input_required');
    expect(asked.text).toMatch(/^The user has not answered\./);
    expect(asked.text).toContain(asked.task_id);
    await client.close();
  });

  test('a client with pages opens the one of the task, which continues in the same call', async () => {
    const agent = await liveAgent({ flow: flow({ connections }) });
    const client = await mcpClient(agent, 'modern', withElicitation({ url: {} }));
    const pages: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      pages.push(params);
      await putConnection(agent, 'crm', bearer());
      return { action: 'accept' };
    });
    expect(await callAgent(client, agent)).toMatchObject({ state: 'completed', text: 'Hello' });
    expect(pages).toMatchObject([{ mode: 'url', url: expect.stringContaining('/public/agent-config?') }]);
    await client.close();
  });

  test('a client with pages and forms is asked what the task asks after the page', async () => {
    const agent = await liveAgent({ flow: { ...askingFlow(), connections } });
    const client = await mcpClient(agent, 'modern', withElicitation({ url: {}, form: {} }));
    const asked: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.mode);
      if (params.mode !== 'url') return { action: 'accept', content: { answer: 'yes' } };
      await putConnection(agent, 'crm', bearer());
      return { action: 'accept' };
    });
    const done = await callAgent(client, agent, { message: 'order 8' });
    expect(done).toMatchObject({ state: 'completed', text: 'yes' });
    expect(asked).toEqual(['url', 'form']);
    await client.close();
  });

  test('a question that the task has asked before the client returns from the page is not waited for', async () => {
    const agent = await liveAgent({ flow: { ...askingFlow(), connections } });
    const client = await mcpClient(agent, 'modern', withElicitation({ url: {}, form: {} }));
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode !== 'url') return { action: 'accept', content: { answer: 'yes' } };
      const id = new URL(params.url).searchParams.get('task_id') ?? '';
      await putConnection(agent, 'crm', bearer());
      await eventually(
        async () => await runState(agent, id),
        ({ status }) => status === 'input_required',
      );
      return { action: 'accept' };
    });
    // Each request of the client is given up then.
    const options = { timeout: 10_000 };
    const args = { registry_id: agent.a2aregistryid, message: 'order 8' };
    const { structuredContent } = await client.callTool({ name: 'call_agent', arguments: args }, options);
    expect(structuredContent).toMatchObject({ state: 'completed', text: 'yes' });
    await client.close();
  });

  test('a user who says that it is done when it is not is not sent to the page again', async () => {
    const agent = await liveAgent({ flow: flow({ connections }) });
    const client = await mcpClient(agent, 'modern', withElicitation({ url: {} }));
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' }));
    const asked = await callAgent(client, agent, { wait_seconds: 1 });
    expect(asked.state).toBe('auth_required');
    expect(asked.auth_url).toBeDefined();
    await client.close();
  });
});

describe('progress', () => {
  test.each(eras)('what a model writes reaches a %s client while it is written', async (era) => {
    const script = newModelScript();
    const node = { type: 'llm', prompt: script.prompt, stream: true, next: 'done' };
    const nodes = { answer: node, done: { type: 'end', output: { answer: '{{ nodes.answer }}' } } };
    const agent = await liveAgent({ flow: flow({ models: scriptedModels, start: 'answer', nodes }) });
    const client = await mcpClient(agent, era);
    const arrived = Promise.withResolvers<void>();
    const seen: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const result = client.callTool(
      { name: 'call_agent', arguments: { registry_id: agent.a2aregistryid, message: 'Hello' } },
      {
        onprogress: ({ progress, message }) => {
          seen.push({ progress, message });
          if (message?.includes('Once')) arrived.resolve();
        },
      },
    );
    await script.say('Once upon a time');
    await arrived.promise;
    await script.say(' there was a zebra.');
    await script.end();
    expect(readText(await result)).toContain('Once upon a time there was a zebra.');
    const numbers = seen.map(({ progress }) => progress);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    await client.close();
  });

  test('replies of an agent reach the client while it works', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const client = await mcpClient(agent);
    const messages: (string | undefined)[] = [];
    await client.callTool(
      { name: 'call_agent', arguments: { registry_id: agent.a2aregistryid, message: 'Hello' } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(messages.join('')).toContain('Looking.');
    await client.close();
  });
});

describe('one principal, several interfaces', () => {
  test('a task that is started in the connector is read over A2A and REST by the same key', async () => {
    const agent = await liveAgent();
    const client = await mcpClient(agent);
    const { task_id } = await callAgent(client, agent);
    const a2a = await officialClient(agentUrls(agent).agent, agent.key);
    const read = await a2a.getTask({ id: task_id, tenant: '', historyLength: undefined });
    expect(JSON.stringify(read.artifacts)).toContain('Hello');
    expect(await runState(agent, task_id)).toMatchObject({ workflow_id: task_id, status: 'completed' });
    await client.close();
  });

  test('tasks of other keys do not exist, nor do those of other agents', async () => {
    const agent = await liveAgent({ flow: askingFlow(), visibility: 'public' });
    const other = await liveAgent({ visibility: 'public' });
    const owner = await mcpClient(agent);
    const { task_id } = await callAgent(owner, agent);
    const sameOrganisation = await newCaller({ orgid: agent.orgid });
    const registry_id = agent.a2aregistryid;
    const missing = await refusedCall(owner, { registry_id, task_id: newRunId() });
    for (const caller of [sameOrganisation, await newCaller()]) {
      const client = await mcpClient(caller);
      expect(await refusedCall(client, { registry_id, task_id, message: 'yes' })).toBe(missing);
      await client.close();
    }
    expect(await refusedCall(owner, { registry_id: other.a2aregistryid, task_id })).toBe(missing);
    await owner.close();
  });

  test('an agent of another organisation and one that does not exist give the same answer', async () => {
    const hidden = await liveAgent({ visibility: 'organization' });
    const build = await newRow(await newCaller(), { visibility: 'organization' });
    const client = await mcpClient(await newCaller());
    const missing = await refusedCall(client, { registry_id: newRegistryId() });
    for (const { a2aregistryid } of [hidden, build])
      expect(await refusedCall(client, { registry_id: a2aregistryid })).toBe(missing);
    await client.close();
  });

  test('a key without permissions may call the agents that it could call over A2A', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const client = await mcpClient(await newCaller({ scopes: [] }));
    expect(await callAgent(client, agent)).toMatchObject({ state: 'completed' });
    await client.close();
  });
});

describe('bad input', () => {
  test.each([
    [{}, 'registry_id'],
    [{ registry_id: 'x' }, 'registry_id'],
    [{ registry_id: newRegistryId(), message: '' }, 'message'],
    [{ registry_id: newRegistryId(), task_id: 'mine' }, 'task_id'],
    [{ registry_id: newRegistryId(), wait_seconds: 121 }, 'wait_seconds'],
    [{ registry_id: newRegistryId(), agent: 'x' }, 'agent'],
  ])('%j is refused with the name of the argument', async (args, name) => {
    const client = await mcpClient(await newCaller());
    expect(await refusedCall(client, args)).toContain(`- ${name}: `);
    await client.close();
  });

  test('a message that is too large for a flow is refused, and nothing is started', async () => {
    const agent = await liveAgent();
    const client = await mcpClient(agent);
    const text = await refusedCall(client, {
      registry_id: agent.a2aregistryid,
      message: 'x'.repeat(200_000),
    });
    expect(text).toMatch(/must be smaller/);
    await client.close();
  });
});
