// What an agent does beside its answer, over HTTP: it tells its caller what it does, and a tool ends it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { agentWithTools } from '#test/support/agents-with-tools.ts';
import { unique } from '#test/support/caller.ts';
import { mcpClient, readText } from '#test/support/connector.ts';
import { idle } from '#test/support/control.ts';
import { newModelScript } from '#test/support/model-script.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const tools = [{ say: {} }];

test('a text of `say` is the message of the working task, before the answer', async () => {
  const [agent, script] = [await agentWithTools(tools), newModelScript()];
  const client = await officialClient(agentUrls(agent).live, agent.key);
  const said = Promise.withResolvers<void>();
  const updates: string[] = [];
  const reading = (async () => {
    for await (const update of client.sendMessageStream(sending(script.prompt))) {
      updates.push(JSON.stringify(update));
      if (updates.at(-1)?.includes('Looking for flights.')) said.resolve();
    }
  })();
  await script.callTool('say', { text: 'Looking for flights.' });
  await said.promise;
  await script.answer('Two flights.', 2);
  await reading;
  const index = updates.findIndex((update) => update.includes('Looking for flights.'));
  expect(updates.findIndex((update) => update.includes('Two flights.'))).toBeGreaterThan(index);
});

test('it is progress of a call in the connector', async () => {
  const [agent, script] = [await agentWithTools(tools), newModelScript()];
  const client = await mcpClient(agent);
  const messages: (string | undefined)[] = [];
  const called = client.callTool(
    { name: 'call_agent', arguments: { registry_id: agent.a2aregistryid, message: script.prompt } },
    { onprogress: ({ message }) => messages.push(message) },
  );
  await script.callTool('say', { text: 'Looking for flights.' });
  await script.answer('Two flights.', 2);
  expect(readText(await called)).toContain('Two flights.');
  expect(messages.join('')).toContain('Looking for flights.');
  await client.close();
});

test('a tool that ends the agent gives the response, and its result is a variable of the state', async () => {
  const place = unique('order');
  const order = {
    name: 'order',
    description: 'Orders.',
    http: { url: `${upstream.url}/count/${place}` },
    ends: true,
    assign: { order: '{{ result.body.name }}' },
  };
  const agent = await agentWithTools([order], {
    egress: [upstream.host],
    answer: '{{ [nodes.work.data.body.name, state.order] }}',
  });
  const script = newModelScript();
  const id = await startedRun(agent, script.prompt);
  await script.callTool('order', {});
  await idle();
  expect(await runState(agent, id)).toMatchObject({
    status: 'completed',
    response: { answer: [place, place] },
  });
  expect(upstream.calls(place)).toBe(1);
});

test('arguments that are no JSON go back to the model over its API, and the run goes on', async () => {
  const [agent, script] = [await agentWithTools(tools), newModelScript()];
  const id = await startedRun(agent, script.prompt);
  await script.callTool('say', '{"text": "Look');
  const asked = JSON.parse(await script.answer('Done.', 2));
  expect(asked.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringMatching(/^Error: arguments: expected an object of JSON: /),
  });
  expect(asked.messages.at(-2)).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  await idle();
  expect(await runState(agent, id)).toMatchObject({ status: 'completed', response: { answer: 'Done.' } });
});

test('an agent reads in `run.turn` which message of its conversation it answers', async () => {
  const agent = await agentWithTools(tools, { instructions: 'Message {{ run.turn }}.' });
  const client = await officialClient(agentUrls(agent).live, agent.key);
  const script = newModelScript();
  const send = async (n: number, some: object = {}) => {
    const sent = client.sendMessage(sending(script.prompt, { ...some }));
    const { messages } = JSON.parse(await script.answer('Done.', n));
    expect(messages[0]).toEqual({ role: 'system', content: `Message ${n}.` });
    return asTask(await sent);
  };
  const { contextId } = await send(1);
  await send(2, { contextId });
  await send(3, { contextId });
});
