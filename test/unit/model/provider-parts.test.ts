// What providers want back with a turn in which they called tools goes back to them, over their real HTTP
// APIs, and to nobody else.
import { describe, expect, test } from 'vitest';
import type { ModelAnswer, ModelMessage, ToolDeclaration } from '#lib/flow/ports/model.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { bedrock } from '../connection/bedrock.ts';
import { loopback, readText } from '../connection/loopback.ts';
import { ask, call, mock, moveModelsTo, useMockModels } from '../connection/mock-models.ts';

useMockModels();

const find: ToolDeclaration = {
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
};
const thought = 'The number is 42.\n  So I look there. ';

/** With and without somebody who listens to the pieces. */
const ways = [
  ['whole', undefined],
  ['streamed', () => undefined],
] as const;

const first: ModelMessage = { role: 'user', content: 'Where is order 42?' };

/** As the engine keeps it: plain JSON. */
const continued = (answer: ModelAnswer): readonly ModelMessage[] => {
  const { output, tool_calls = [], provider_parts } = JSON.parse(JSON.stringify(answer));
  const results = tool_calls.map(({ id, name }: { id: string; name: string }) => ({
    role: 'tool',
    tool_call_id: id,
    name,
    content: 'shipped',
  }));
  return [first, { role: 'assistant', content: output, tool_calls, provider_parts }, ...results];
};

describe.each(ways)('Bedrock, called %s,', (_way, onText) => {
  const asked = (model: string, messages: readonly ModelMessage[]) =>
    ask(model, '', { messages, tools: [find] }, call.signal, onText);
  const toolUse = (id: string) => ({
    toolUse: { toolUseId: `call_${id}`, name: 'find_order', input: { id } },
  });
  const signed = (text: string) => ({
    reasoningContent: { reasoningText: { text, signature: `signed ${text}` } },
  });

  test.each([
    ['signed reasoning', [signed(thought), toolUse('42')]],
    ['reasoning that it hides', [{ reasoningContent: { redactedContent: 'c2VjcmV0' } }, toolUse('42')]],
    [
      'reasoning between texts and calls, in its order',
      [signed('a'), { text: 'Let me look.' }, signed('b'), toolUse('42'), toolUse('43')],
    ],
  ] as const)('gets back %s with the results of the tools', async (_what, content) => {
    await using server = await bedrock(content, [{ text: 'On its way.' }]);
    moveModelsTo(server.url);
    const answer = await asked('claude', [first]);
    expect((await asked('claude', continued(answer))).output).toBe('On its way.');
    expect(server.asked[1]).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content }, { role: 'user' }],
    });
  });

  test('does not get the reasoning of another model', async () => {
    await using server = await bedrock([signed(thought), toolUse('42')], [{ text: 'On its way.' }]);
    moveModelsTo(server.url);
    const answer = await asked('claude', [first]);
    await asked('nova', continued(answer));
    expect(server.asked[1]).toMatchObject({
      messages: [{}, { role: 'assistant', content: [toolUse('42')] }, {}],
    });
  });

  test('does not get reasoning back of a final answer, nor of a message without it', async () => {
    await using server = await bedrock([signed(thought), { text: 'No.' }], [{ text: 'Hm.' }, toolUse('42')]);
    moveModelsTo(server.url);
    expect(await asked('claude', [first])).not.toHaveProperty('provider_parts');
    expect(await asked('claude', [first])).not.toHaveProperty('provider_parts');
  });
});

describe.each(ways)('an OpenAI-compatible model, called %s,', (_way, onText) => {
  const asked = (model: string, messages: readonly ModelMessage[]) =>
    ask(model, '', { messages, tools: [find] }, call.signal, onText);
  const toolCalls = [{ id: 'call_1', name: 'find_order', arguments: '{"id":"42"}' }];
  const thinks = { toolCalls, reasoning: thought };

  test('gets its reasoning_content back with the results of the tools', async () => {
    mock.onToolResult('call_1', { content: 'On its way.' });
    mock.onMessage('Where', thinks);
    const answer = await asked('compatible', [first]);
    expect((await asked('compatible', continued(answer))).output).toBe('On its way.');
    expect(mock.getLastRequest()?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', reasoning_content: thought, tool_calls: [{ id: 'call_1' }] },
        { role: 'tool', tool_call_id: 'call_1' },
      ],
    });
  });

  test('does not get the reasoning of another model', async () => {
    mock.onToolResult('call_1', { content: 'On its way.' });
    mock.onMessage('Where', thinks);
    const answer = await asked('compatible', [first]);
    await asked('keyed', continued(answer));
    expect(JSON.stringify(mock.getLastRequest()?.body)).not.toContain('reasoning');
  });

  const tool_call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'find_order', arguments: '{"id":"42"}' },
  };

  /** Answers every request with a turn in the API's own words. */
  async function serveModel(message: JsonObject, marks: JsonObject = {}) {
    const bodies: JsonObject[] = [];
    const server = await loopback(async (request, response) => {
      const body = JSON.parse(await readText(request));
      bodies.push(body);
      const choice = { index: 0, finish_reason: 'tool_calls' };
      const tool_calls = [{ index: 0, ...tool_call, ...marks }];
      const turn = { role: 'assistant', content: null, ...message, tool_calls };
      if (body.stream) {
        response.setHeader('content-type', 'text/event-stream');
        response.end(
          `data: ${JSON.stringify({ choices: [{ ...choice, delta: turn }] })}\n\ndata: [DONE]\n\n`,
        );
        return;
      }
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ ...choice, message: turn }] }));
    });
    moveModelsTo(server.url);
    return { server, bodies };
  }

  test('that uses another name for its reasoning is not sent a field that it may refuse', async () => {
    const { server, bodies } = await serveModel({ reasoning: thought });
    await using _ = server;
    const answer = await asked('compatible', [first]);
    expect(answer).not.toHaveProperty('provider_parts');
    await asked('compatible', continued(answer));
    expect(JSON.stringify(bodies[1])).not.toContain('reasoning');
  });

  test('gets the signature of its tool call back', async () => {
    const extra_content = { google: { thought_signature: 'c2lnbmVk' } };
    const { server, bodies } = await serveModel({}, { extra_content });
    await using _ = server;
    const answer = await asked('compatible', [first]);
    await asked('compatible', continued(answer));
    expect(bodies[1]?.messages).toEqual([
      first,
      { role: 'assistant', content: null, tool_calls: [{ ...tool_call, extra_content }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'shipped' },
    ]);
  });
});
