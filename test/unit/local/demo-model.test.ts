// The demo's scripted model, asked the way the service asks any model: through the model port, over HTTP.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { ModelRequest } from '#lib/flow/ports/model.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { startDemoModel } from '#lib/local/demo-model.ts';
import { scriptedAnswer } from '#lib/local/demo-script.ts';
import { createModelPort } from '#lib/model/port.ts';

let demo: Awaited<ReturnType<typeof startDemoModel>>;
beforeAll(async () => {
  demo = await startDemoModel();
});
afterAll(() => demo.close());

const call = {
  runId: 'run',
  key: 'node.1',
  nodeId: 'node',
  visit: 1,
  attempt: 1,
  signal: new AbortController().signal,
};

function ask(prompt: string, more: Partial<ModelRequest> = {}, onText?: (piece: string) => void) {
  const port = createModelPort({
    models: { demo: { provider: 'openai-compatible', base_url: demo.url, model: 'demo-scripted' } },
    defaultModel: 'demo',
    fetch: createGuardedFetch({ allowPrivate: [new URL(demo.url).host] }),
  });
  return port(
    { model: {}, messages: [{ role: 'user', content: prompt }], ...more },
    { ...call, ...(onText && { onText }) },
  );
}

const supportSchema = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['order_status', 'refund', 'other'] },
    order_id: { type: 'string' },
  },
  required: ['kind'],
};

describe('a support message is classified', () => {
  test.each([
    ['Where is my order 10023?', { kind: 'order_status', order_id: '10023' }],
    ['Can you TRACK parcel 777 please', { kind: 'order_status', order_id: '777' }],
    ['where is it', { kind: 'order_status' }],
    ['I want a refund for order #4711', { kind: 'refund', order_id: '4711' }],
    ['Give me my money back!', { kind: 'refund' }],
    ['Do you sell gift cards?', { kind: 'other' }],
    ['', { kind: 'other' }],
  ])('"%s"', async (message, output) => {
    const prompt = `Classify this message as order_status, refund or other: ${message}`;
    expect((await ask(prompt, { output_schema: supportSchema })).output).toEqual(output);
  });

  test('a required order number that is missing is null if the schema allows it, else empty', async () => {
    const withId = (order_id: JsonObject) => ({
      ...supportSchema,
      properties: { ...supportSchema.properties, order_id },
      required: ['kind', 'order_id'],
    });
    const nullable = await ask('Where is it?', { output_schema: withId({ type: ['string', 'null'] }) });
    expect(nullable.output).toEqual({ kind: 'order_status', order_id: null });
    const plain = await ask('Where is it?', { output_schema: withId({ type: 'string' }) });
    expect(plain.output).toEqual({ kind: 'order_status', order_id: '' });
  });
});

test('a plain prompt gets a short answer that names the demo model, with its tokens', async () => {
  const answer = await ask('Summarise this ticket: The parcel 12 is late. I am not amused.', {
    system: 'Be brief.',
  });
  expect(answer).toEqual({
    output: '[demo-scripted] The parcel 12 is late.',
    model: 'openai-compatible/demo-scripted',
    finish_reason: 'stop',
    tokens: { input: 18, output: 10 },
  });
});

test('the same question gets the same answer', async () => {
  expect(await ask('Hello there')).toEqual(await ask('Hello there'));
});

describe('tools', () => {
  const tool = (name: string, property: string) => ({
    name,
    description: '',
    parameters: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
  });
  const tools = [tool('find_tickets', 'query'), tool('close_ticket', 'ticket_id')];
  const prompt = 'Find tickets about the printer, then close ticket 4711.';
  const used = (name: string, content: string): ModelRequest['messages'] => [
    { role: 'assistant', content: '', tool_calls: [{ id: name, name, arguments: {} }] },
    { role: 'tool', tool_call_id: name, name, content },
  ];
  const since = (...messages: ModelRequest['messages']): Partial<ModelRequest> => ({
    tools,
    messages: [{ role: 'user', content: prompt }, ...messages],
  });
  const found = used('find_tickets', 'Ticket 4711.');
  const wanted = (answer: Awaited<ReturnType<typeof ask>>) =>
    answer.tool_calls?.map((call) => [call.name, call.arguments]);

  test.each([
    ['whole', undefined],
    ['in pieces', () => undefined],
  ])(
    'that the message names are used, each once, and the last result is the answer (%s)',
    async (_, onText) => {
      expect(wanted(await ask('', since(), onText))).toEqual([['find_tickets', { query: prompt }]]);
      const second = await ask('', since(...found), onText);
      expect(wanted(second)).toEqual([['close_ticket', { ticket_id: '4711' }]]);
      const last = await ask('', since(...found, ...used('close_ticket', 'It is closed.')), onText);
      expect([last.output, last.tool_calls]).toEqual(['[demo-scripted] It is closed.', undefined]);
    },
  );

  test('that the message does not name are not called', async () => {
    expect((await ask('Hello', { tools })).tool_calls).toBeUndefined();
  });
});

test('other schemas are filled from the text', async () => {
  const output_schema = {
    type: 'object',
    properties: {
      summary: { type: 'string', maxLength: 20 },
      email: { type: 'string' },
      amount: { type: 'number' },
      urgent: { type: 'boolean' },
      score: { type: 'integer', minimum: 1, maximum: 5 },
      tags: { type: 'array', items: { enum: ['billing', 'shipping'] } },
      customer: { $ref: '#/$defs/customer' },
      note: { anyOf: [{ type: 'null' }, { type: 'string' }] },
    },
    required: ['summary', 'email', 'amount', 'urgent', 'score', 'tags', 'customer', 'note'],
    $defs: { customer: { type: 'object', properties: { customer_id: { type: 'string' } } } },
  };
  const { output } = await ask('Urgent billing problem of ada@example.com, customer 900', { output_schema });
  expect(output).toEqual({
    summary: 'Urgent billing probl',
    email: 'ada@example.com',
    amount: 900,
    urgent: true,
    score: 5,
    tags: ['billing'],
    customer: { customer_id: '900' },
    note: 'Urgent billing problem of ada@example.',
  });
});

test('the answer matches any schema, for any text', () => {
  const { schema } = fc.letrec<{ schema: JsonObject; leaf: JsonObject }>((tie) => ({
    leaf: fc.oneof(
      fc.record({
        type: fc.constant('string'),
        minLength: fc.nat(3),
        maxLength: fc.integer({ min: 3, max: 9 }),
      }),
      fc.record({
        type: fc.constantFrom('integer', 'number'),
        minimum: fc.nat(5),
        maximum: fc.integer({ min: 5, max: 9 }),
      }),
      fc.record({ enum: fc.array(fc.constantFrom('refund', 'other', 'order'), { minLength: 1 }) }),
      fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { const: 7 }, { type: ['string', 'null'] }),
    ),
    schema: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(2) }),
      fc.record({ anyOf: fc.array(tie('leaf'), { minLength: 1, maxLength: 3 }) }),
      fc
        .dictionary(fc.constantFrom('kind', 'order_id', 'email', 'summary'), tie('schema'))
        .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
    ),
  }));
  const text = fc.oneof(fc.constantFrom('', 'refund order 123', 'Dear a@b.example: 3.5'), fc.string());
  fc.assert(
    fc.property(schema, text, (asked, prompt) => {
      z.fromJSONSchema(asked).parse(JSON.parse(scriptedAnswer(prompt, asked)));
    }),
  );
});

test('a recursive schema gets a finite answer', () => {
  const schema = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          next: { $ref: '#/$defs/node' },
          all: { items: { $ref: '#/$defs/node' }, type: 'array' },
        },
      },
    },
  };
  expect(scriptedAnswer('hello', schema).length).toBeLessThan(100_000);
});

describe('as a server it', () => {
  const post = (body: unknown) =>
    fetch(`${demo.url}/chat/completions`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  test('lists its one model', async () => {
    expect(await (await fetch(`${demo.url}/models`)).json()).toMatchObject({
      data: [{ id: 'demo-scripted' }],
    });
  });

  test('accepts messages in content parts', async () => {
    const content = [{ type: 'text', text: 'Hello' }];
    const answer = await post({ model: 'demo-scripted', messages: [{ role: 'user', content }] });
    expect(await answer.json()).toMatchObject({
      choices: [{ message: { content: '[demo-scripted] Hello' } }],
    });
  });

  test.each([
    ['no JSON', '{', 400],
    ['another model', { model: 'gpt-5', messages: [{ role: 'user', content: 'x' }] }, 400],
    ['no messages', { model: 'demo-scripted', messages: [] }, 400],
  ])('refuses %s', async (_what, body, status) => {
    const answer = await post(body);
    expect([answer.status, await answer.json()]).toEqual([
      status,
      { error: expect.objectContaining({ code: null }) },
    ]);
  });

  test('answers 404 to other paths', async () => {
    expect((await fetch(`${demo.url}/embeddings`)).status).toBe(404);
  });

  test('fails to start if the port is in use', async () => {
    await expect(startDemoModel(Number(new URL(demo.url).port))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

test('a stream has the same answer, word by word', async () => {
  const pieces: string[] = [];
  const streamed = await ask('Tell me about your delivery times.', {}, (piece) => pieces.push(piece));
  expect(streamed).toEqual(await ask('Tell me about your delivery times.'));
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(streamed.output);
});
