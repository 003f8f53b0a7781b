// An agent of a flow over the real ports: a provider's HTTP API on loopback, and tools of a real MCP server
// in another process.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { runFlow } from '#lib/flow/engine/run-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { createMcpPort } from '#lib/mcp/port.ts';
import { createModelPort } from '#lib/model/port.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';
import { checkedFlow, emptyInput, scripted, startedAt } from '../flow/scripted.ts';
import { bedrock } from './bedrock.ts';
import { connectWith, fetchTo } from './connections.ts';
import { noNames } from './loopback.ts';
import { mock, models, moveModelsTo, useMockModels } from './mock-models.ts';

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
  const turns = recorded.entries.flatMap(({ event, tokens }) => (event === 'turn' ? [tokens] : []));
  return { outcome, tools, turns };
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

describe.each([
  ['required', 'required', { any: {} }],
  [{ tool: 'add' }, { type: 'function', function: { name: 'add' } }, { tool: { name: 'add' } }],
])('with the tool_choice %j', (tool_choice, asCompatible, asBedrock) => {
  const some = { max_turns: 1, on_max_turns: 'answer', tool_choice };
  const ended = { status: 'completed', response: { text: 'Three.' } };

  test('an OpenAI-compatible model must use it in its first turn, and none after the last one', async () => {
    const toolCalls = [{ id: 'call_1', name: 'add', arguments: '{"a":1,"b":2}' }];
    mock.on({ hasToolResult: false }, { toolCalls });
    mock.on({ toolCallId: 'call_1' }, { content: 'Three.' });
    expect((await runAdder('compatible', some)).outcome).toEqual(ended);
    const [first, last] = mock.getRequests().map(({ body }) => body);
    expect(first).toMatchObject({ tool_choice: asCompatible });
    expect(last).toMatchObject({ tool_choice: 'none', tools: [{}] });
    expect(JSON.stringify(last)).toContain('This is your last turn');
  });

  test('a model that answers all the same is an error that says so, and its tokens count', async () => {
    mock.on({}, { content: 'Three.', usage });
    const { outcome, turns } = await runAdder('compatible', some);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        code: 'model.bad_answer',
        message: expect.stringMatching(/ answered without a tool, and tool_choice is .*: expected a call\.$/),
      },
    });
    expect(turns).toEqual([{ input: 20, output: 4 }]);
  });

  test('a model that calls a tool in its last turn had too few of them, and its tokens count', async () => {
    mock.on({}, { toolCalls: [{ name: 'add', arguments: '{"a":1,"b":2}' }], usage });
    const { outcome, turns } = await runAdder('compatible', some);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'agent.max_turns', message: expect.stringContaining('called add') },
    });
    expect(turns).toHaveLength(2);
  });

  test.each(['claude', 'nova'])(
    'so must "%s"; Bedrock, which knows no "none", keeps the results',
    async (model) => {
      const toolUse = { toolUseId: 'call_1', name: 'add', input: { a: 1, b: 2 } };
      await using server = await bedrock([{ toolUse }], [{ text: 'Three.' }]);
      moveModelsTo(server.url);
      expect((await runAdder(model, some)).outcome).toEqual(ended);
      const [first, last] = server.asked;
      expect(first).toMatchObject({ toolConfig: { toolChoice: asBedrock } });
      expect(last).toMatchObject({
        toolConfig: { tools: [{}] },
        messages: [{}, {}, { content: [{ toolResult: { toolUseId: 'call_1' } }] }],
      });
      expect(JSON.stringify(last)).toContain('This is your last turn');
    },
  );
});
