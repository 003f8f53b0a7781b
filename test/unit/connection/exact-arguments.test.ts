// Integers in the arguments that a model gives a tool, and in the object that it answers with, over the HTTP APIs of the providers.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { httpAnswer } from '../flow/scripted.ts';
import { modelIds, runOver } from './model-flow.ts';

afterEach(() => vi.unstubAllEnvs());

const big = '820982911946154508';
/** Written as numbers, with every digit. */
const args = {
  id: rawJson(big),
  list: [rawJson(`-${big}`), 1.5],
  n: 2,
};

function rawJson(source: string): JsonObject {
  const raw: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof raw !== 'function') throw new Error('This Node.js has no JSON.rawJSON.');
  return raw(source);
}

const look = {
  name: 'look',
  description: 'Finds an order.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'string' }, list: { type: 'array' }, n: { type: 'number' } },
    required: ['id', 'list', 'n'],
  },
  http: { method: 'POST', url: 'https://api.example.com/orders/{{ args.id }}', body: '{{ args }}' },
};
const flow = { egress: ['api.example.com'] };
const streamed = { type: 'agent', instructions: 'Help.', input: 'x', tools: [look], next: 'done' };
/** An agent with a schema is not streamed. */
const whole = { ...streamed, output_schema: { type: 'object' } };

describe.each(modelIds)('the model "%s"', (model) => {
  test.each([
    ['whole', whole, '{"text":"Found."}'],
    ['streamed', streamed, 'Found.'],
  ])('has every digit in a turn that is %s', async (_way, node, text) => {
    await using server = await startModelServer({ calls: [{ name: 'look', args }] }, { text });
    const nodes = { a: node, done: { type: 'end', output: { found: true } } };
    const script = { http: () => httpAnswer(200, 'ok') };
    const { outcome, requests } = await runOver(nodes, { model, server, script, flow });
    expect(outcome).toEqual({ status: 'completed', response: { found: true } });
    expect(requests).toMatchObject([
      { url: `https://api.example.com/orders/${big}`, body: `{"id":"${big}","list":["-${big}",1.5],"n":2}` },
    ]);
  });
});

describe.each(modelIds)('an object of the model "%s"', (model) => {
  const answer = { id: rawJson(big), even: 2 ** 53, n: 2 };
  /** Bedrock models give an object as the arguments of a tool, or as text. */
  const asTool = { calls: [{ name: 'json', args: answer }] };
  const asText = { text: JSON.stringify(answer) };
  const answers = model === 'compatible' ? [asText] : [asText, asTool];
  const ask = (id: JsonObject) => ({
    a: { type: 'llm', prompt: 'x', output_schema: { type: 'object', properties: { id } }, next: 'done' },
    done: { type: 'end', output: { id: '{{ nodes.a }}' } },
  });

  test.each(answers)('has every digit as text, and the log says so', async (turn) => {
    await using server = await startModelServer(turn);
    const { outcome, entries } = await runOver(ask({ type: 'string' }), { model, server });
    expect(outcome).toEqual({
      status: 'completed',
      response: { id: { id: big, even: 2 ** 53, n: 2 } },
    });
    expect(entries.filter(({ event }) => event === 'warning')).toMatchObject([
      { node_id: 'a', message: expect.stringContaining('output: 1 integer kept as text') },
    ]);
  });

  test.each(answers)(
    'does not match a schema that wants a number, and the model learns why',
    async (turn) => {
      await using server = await startModelServer(turn, turn);
      const { outcome } = await runOver(ask({ type: 'integer' }), { model, server });
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'model.invalid_output', message: expect.stringContaining('are read as text') },
      });
      expect(JSON.stringify(server.asked)).toContain('integers beyond 9007199254740991 are read as text');
    },
  );
});
