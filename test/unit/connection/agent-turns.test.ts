// An agent of a flow over the real ports: a provider's HTTP API on loopback, and tools of a real MCP server
// in another process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { createMcpPort } from '#lib/mcp/port.ts';
import { createModelPort } from '#lib/model/port.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { checkedFlow, emptyInput, scripted, startedAt } from '../flow/scripted.ts';
import { connectWith, fetchTo } from './connections.ts';
import { noNames } from './loopback.ts';
import { mock, models, useMockModels } from './mock-models.ts';

useMockModels();

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer('mcp');
});
afterAll(() => server.stop());

const output_schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const usage = { prompt_tokens: 20, completion_tokens: 4 };

/** Runs an agent that has a real tool and the model. */
async function runAdder(model: string, some: JsonObject = {}, text = '{{ nodes.work.text }}') {
  const mcp = createMcpPort(connectWith({ fetch: fetchTo(server.host), values: {} }));
  const recorded = scripted();
  const allowPrivate = [new URL(mock.url).host];
  const flow = checkedFlow(
    {
      work: {
        type: 'agent',
        instructions: 'Add.',
        input: '1 and 2',
        tools: [{ mcp: `${server.url}/mcp`, tools: ['add'] }],
        ...some,
        next: 'done',
      },
      done: { type: 'end', output: { text } },
    },
    { egress: [server.host], models: { default: { model } } },
  );
  const outcome = await runFlow(compileFlow(flow), {
    runId: 'run-1',
    input: emptyInput,
    startedAt,
    signal: new AbortController().signal,
    ports: {
      ...recorded.ports,
      mcp,
      model: createModelPort({
        models: models(),
        defaultModel: 'compatible',
        fetch: createGuardedFetch({ allowPrivate }, noNames),
      }),
    },
  });
  await mcp.close();
  const tools = recorded.entries.flatMap(({ event, message }) => (event === 'tool' ? [message] : []));
  return { outcome, tools };
}

test.each(['compatible', 'claude', 'nova'])(
  'the model "%s" uses a tool and answers with an object',
  async (model) => {
    mock.on({ hasToolResult: false }, { toolCalls: [{ name: 'add', arguments: '{"a":1,"b":2}' }], usage });
    mock.on({ hasToolResult: true }, { content: '{"sum":3}', usage });
    const { outcome, tools } = await runAdder(model, { output_schema }, '{{ nodes.work.data.sum }}');
    expect(outcome).toEqual({ status: 'completed', response: { text: 3 } });
    expect(tools).toEqual(['add completed: {"sum":3}']);
  },
);

test.each(['compatible', 'claude', 'nova'])(
  'the model "%s" that calls a tool with arguments that are no object learns that, and tries again',
  async (model) => {
    // Bedrock sends arguments as JSON, so what is wrong there is the kind of value.
    const malformed = model === 'compatible' ? '{"a":1,' : '[1,2]';
    const toolCalls = [{ id: 'call_1', name: 'add', arguments: malformed }];
    mock.on(
      { toolCallId: 'call_1' },
      { toolCalls: [{ id: 'call_2', name: 'add', arguments: '{"a":1,"b":2}' }] },
    );
    mock.on({ toolCallId: 'call_2' }, { content: 'Three.' });
    mock.on({ hasToolResult: false }, { toolCalls });
    const { outcome, tools } = await runAdder(model);
    expect(outcome).toEqual({ status: 'completed', response: { text: 'Three.' } });
    expect(tools).toEqual([
      expect.stringContaining('add failed: arguments: expected an object of JSON'),
      'add completed: {"sum":3}',
    ]);
  },
);
