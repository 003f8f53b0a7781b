// Turns with tools, and turns that stream, against a mock of the providers' real HTTP APIs.
import { describe, expect, test } from 'vitest';
import type { ModelMessage, ToolDeclaration } from '#lib/flow/ports/model.ts';
import { loopback, readText } from './loopback.ts';
import {
  answerWithObject,
  ask,
  call,
  formatModel,
  mock,
  moveModelsTo,
  output_schema,
  useMockModels,
} from './mock-models.ts';

useMockModels();

const find: ToolDeclaration = {
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
};
const tools = [find];
const usage = { prompt_tokens: 20, completion_tokens: 4 };
const tokens = { input: 20, output: 4 };
const wantsOrder = { toolCalls: [{ id: 'call_1', name: 'find_order', arguments: '{"id":"42"}' }], usage };

/** With and without somebody who listens to the pieces. */
const ways = [
  ['whole', undefined],
  ['streamed', () => undefined],
] as const;

describe.each(['compatible', 'claude', 'nova'])('the model "%s"', (model) => {
  describe.each(ways)('called %s', (_way, onText) => {
    const asked = (content: string, more = {}) => ask(model, content, more, call.signal, onText);

    test('can call the declared tools', async () => {
      mock.onMessage('where', wantsOrder);
      expect(await asked('where', { tools })).toEqual({
        output: '',
        tool_calls: [{ id: 'call_1', name: 'find_order', arguments: { id: '42' } }],
        model: formatModel(model),
        tokens,
        finish_reason: 'tool_calls',
      });
      expect(JSON.stringify(mock.getLastRequest()?.body)).toContain('Finds an order.');
    });

    test('can write text beside its calls', async () => {
      mock.onMessage('where', { ...wantsOrder, content: 'Let me look.' });
      expect(await asked('where', { tools })).toMatchObject({
        output: 'Let me look.',
        tool_calls: [{ name: 'find_order' }],
      });
    });

    test('can call several tools at once, also an undeclared one', async () => {
      const toolCalls = [...wantsOrder.toolCalls, { id: 'call_2', name: 'refund', arguments: '{"id":"42"}' }];
      mock.onMessage('where', { toolCalls });
      expect((await asked('where', { tools })).tool_calls?.map(({ name }) => name)).toEqual([
        'find_order',
        'refund',
      ]);
    });

    test('gets the results of the tools', async () => {
      const messages: ModelMessage[] = [
        { role: 'user', content: 'where' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'call_1', name: 'find_order', arguments: { id: '42' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', name: 'find_order', content: 'shipped on Monday' },
      ];
      mock.onToolResult('call_1', { content: 'On its way.' });
      expect((await asked('', { messages, tools })).output).toBe('On its way.');
      expect(JSON.stringify(mock.getLastRequest()?.body)).toContain('shipped on Monday');
    });

    test('can use tools before it answers with an object', async () => {
      mock.onMessage('where', wantsOrder);
      expect(await asked('where', { tools, output_schema })).toMatchObject({
        tool_calls: [{ name: 'find_order', arguments: { id: '42' } }],
      });
      answerWithObject(model, { kind: 'refund' });
      expect(await asked('classify', { tools, output_schema })).toMatchObject({ output: { kind: 'refund' } });
    });
  });

  test('streams chunks that add up to its answer', async () => {
    const content = 'It was the best of times, it was the worst of times.';
    mock.onMessage('hello', { content, usage });
    const pieces: string[] = [];
    const answer = await ask(model, 'hello', {}, call.signal, (piece) => pieces.push(piece));
    expect(answer).toEqual({
      output: content,
      model: formatModel(model),
      tokens,
      finish_reason: 'stop',
    });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(content);
  });

  test('returns an object at once, even when streaming', async () => {
    answerWithObject(model, { kind: 'refund' });
    const pieces: string[] = [];
    await ask(model, 'classify', { output_schema }, call.signal, (piece) => pieces.push(piece));
    expect(pieces).toEqual([]);
  });

  test.each([
    [429, 'model.rate_limited'],
    [503, 'model.unavailable'],
    [400, 'model.refused'],
  ])('that answers %d when streaming fails with %s', async (status, code) => {
    mock.nextRequestError(status, { message: 'The provider says no.' });
    await expect(ask(model, 'hello', {}, call.signal, () => undefined)).rejects.toMatchObject({ code });
  });

  test('that is slower than the time limit of the node fails with timeout, also when streaming', async () => {
    mock.onMessage('hello', { content: 'Once upon a time there was' }, { latency: 60_000 });
    const abort = new AbortController();
    const answer = ask(model, 'hello', {}, abort.signal, () => undefined);
    setImmediate(() => abort.abort());
    await expect(answer).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe.each(ways)('an OpenAI-compatible model, called %s', (_way, onText) => {
  const asked = (content: string, more = {}) => ask('compatible', content, more, call.signal, onText);

  test('that calls a tool with arguments that are cut short is not believed, and costs its tokens', async () => {
    const toolCalls = [{ id: 'call_1', name: 'find_order', arguments: '{"id": "4' }];
    mock.onMessage('where', { toolCalls, usage, finishReason: 'length' });
    await expect(asked('where', { tools })).rejects.toMatchObject({
      name: 'NodeError',
      code: 'model.cut',
      tokens,
    });
  });

  test.each([
    ['no JSON', '{"id": 42', '{"id": 42'],
    ['no object', '[42]', [42]],
  ])('that calls a tool with arguments that are %s is passed on as it is', async (_what, args, expected) => {
    mock.onMessage('where', { toolCalls: [{ id: 'call_1', name: 'find_order', arguments: args }], usage });
    expect(await asked('where', { tools })).toMatchObject({
      tool_calls: [{ id: 'call_1', arguments: expected }],
      tokens,
    });
  });

  test('has its tokens counted when its content filter refuses', async () => {
    mock.onMessage('hello', { content: 'I cannot', finishReason: 'content_filter', usage });
    await expect(asked('hello')).rejects.toMatchObject({ code: 'model.refused', tokens });
  });
});

test('a refusal in the form of the API fails', async () => {
  await using server = await loopback(async (request, response) => {
    await readText(request);
    const message = { role: 'assistant', content: null, refusal: 'I cannot help with that.' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop', message }], usage }));
  });
  moveModelsTo(server.url);
  await expect(ask('compatible', 'hello')).rejects.toMatchObject({ code: 'model.refused', tokens });
});
