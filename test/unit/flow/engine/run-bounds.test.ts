// The bounds of a run, of what starts it and of what it answers.
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json } from '#lib/json/json.ts';
import { emptyInput, runNodes } from '../scripted.ts';

describe('limits', () => {
  const loop = {
    a: { type: 'transform', output: 1, next: 'b' },
    b: { type: 'transform', output: 1, next: 'a', catch: [{ on: ['*'], next: 'a' }] },
  };
  /** Fits a hundred times into no request. */
  const often = Array.from({ length: 100 }, () => '{{ nodes.a }}');
  const large = '{{ $pad("", 199990, "x") }}';

  test.each([
    ['steps by default', loop, {}, 'limit.steps', '200 steps'],
    ['steps of the flow', loop, { limits: { max_steps: 5 } }, 'limit.steps', '5 steps'],
    [
      'visits of a node',
      { a: { ...loop.a, max_visits: 3 }, b: loop.b },
      {},
      'limit.visits',
      '3 visits to "a"',
    ],
    [
      'visits of a node before steps, where both end at once',
      { a: { ...loop.a, max_visits: 3 }, b: loop.b },
      { limits: { max_steps: 6 } },
      'limit.visits',
      '3 visits to "a"',
    ],
    [
      'model calls',
      { a: { type: 'llm', prompt: 'x', next: 'a', catch: [{ on: ['*'], next: 'a' }] } },
      { limits: { max_model_calls: 2 } },
      'limit.model_calls',
      '2 model calls',
    ],
    [
      'tokens',
      { a: { type: 'llm', prompt: 'x', next: 'a', catch: [{ on: ['*'], next: 'a' }] } },
      { limits: { max_tokens: 50 } },
      'limit.tokens',
      '50 tokens',
    ],
    [
      'bytes of a value',
      { a: { type: 'transform', output: '{{ $pad("", 250000, "x") }}' } },
      {},
      'value.too_large',
      'nodes.a',
    ],
    [
      'bytes of a variable',
      { a: { type: 'transform', output: 1, assign: { x: '{{ $pad("", 250000, "x") }}' } } },
      {},
      'value.too_large',
      'state.x',
    ],
    [
      'bytes of all values',
      Object.fromEntries(
        Array.from({ length: 22 }, (_, index) => [
          `n${index}`,
          { type: 'transform', output: large, ...(index < 21 && { next: `n${index + 1}` }) },
        ]),
      ),
      {},
      'limit.snapshot',
      `${limits.snapshotBytes} bytes`,
    ],
    [
      'bytes of the open questions',
      {
        each: {
          type: 'map',
          items: '{{ [1..20] }}',
          max_concurrency: 20,
          body: { start: 'q', nodes: { q: { type: 'ask', prompt: '{{ $pad("", 16000, "x") }}' } } },
        },
      },
      {},
      'limit.questions',
      `${limits.questionsBytes} bytes`,
    ],
    [
      'bytes of the response',
      {
        a: { type: 'transform', output: large, next: 'b' },
        b: {
          type: 'end',
          output: Object.fromEntries(
            Array.from({ length: 22 }, (_, index) => [`k${index}`, '{{ nodes.a }}']),
          ),
        },
      },
      {},
      'output.too_large',
      `${limits.responseBytes} bytes`,
    ],
    [
      'characters of the texts that a node puts together',
      {
        a: { type: 'transform', output: large, next: 'b' },
        b: { type: 'transform', output: Array.from({ length: 4000 }, () => ['{{ nodes.a }}x']) },
      },
      {},
      'expression.too_large',
      `${limits.valueSizeMax} characters`,
    ],
    [
      'characters of one text',
      {
        a: { type: 'transform', output: large, next: 'b' },
        b: { type: 'transform', output: '{{ nodes.a }}'.repeat(4000) },
      },
      {},
      'expression.too_large',
      `${limits.textCharsMax} characters`,
    ],
  ])('%s end the run', async (_name, nodes, flow, code, words) => {
    const { outcome } = await runNodes(nodes, {}, { flow });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code, message: expect.stringContaining(words) },
    });
  });

  test.each([
    ['body', { type: 'http', method: 'POST', url: 'https://api.example.com', body: often }],
    ['arguments', { type: 'mcp', server: 'https://api.example.com/mcp', tool: 't', arguments: { often } }],
    ['data', { type: 'a2a', agent: 'https://api.example.com/agent', data: often }],
    ['messages', { type: 'llm', messages: often.map((content) => ({ role: 'user', content })) }],
  ])('%s of a call that are too large end the run before the call', async (field, node) => {
    const nodes = { a: { type: 'transform', output: large, next: 'b' }, b: node };
    const { outcome, requests, prompts } = await runNodes(
      nodes,
      {},
      { flow: { egress: ['api.example.com'] } },
    );
    expect(outcome).toMatchObject({
      error: {
        code: 'value.too_large',
        message: expect.stringContaining(`${field}: expected at most ${limits.requestBytes} bytes`),
      },
    });
    expect([requests, prompts]).toEqual([[], []]);
  });

  test('a body that is nested too deep is reported with path and depth, not as too large', async () => {
    let deep: Json = 1;
    for (let level = 0; level < 96; level++) deep = { a: deep };
    const body = { order: { lines: [[[['{{ input.user_variables.deep }}']]]] } };
    const nodes = { a: { type: 'http', method: 'POST', url: 'https://api.example.com', body } };
    const input = { ...emptyInput, user_variables: { deep } };
    const { outcome, requests } = await runNodes(
      nodes,
      {},
      { flow: { egress: ['api.example.com'] }, options: { input } },
    );
    const message = 'body: must not be nested deeper than 100 levels, which /order/lines/0/0/0/0/a/a';
    expect(outcome).toMatchObject({
      error: { code: 'value.too_large', message: expect.stringContaining(message) },
    });
    expect(requests).toEqual([]);
  });

  test('the caller can only lower what the flow allows', async () => {
    const flow = { limits: { max_steps: 5 } };
    const lowered = await runNodes(loop, {}, { flow, options: { limits: { max_steps: 3 } } });
    const raised = await runNodes(loop, {}, { flow, options: { limits: { max_steps: 100 } } });
    const free = await runNodes(loop, {}, { options: { limits: { max_steps: 1_000_000 } } });
    expect(lowered.outcome).toMatchObject({ error: { message: expect.stringContaining('3 steps') } });
    expect(raised.outcome).toMatchObject({ error: { message: expect.stringContaining('5 steps') } });
    expect(free.outcome).toMatchObject({
      error: { message: expect.stringContaining(`${limits.stepsDefault} steps`) },
    });
  });

  test('the log ends with the count of what was left out, and the last word', async () => {
    const { entries } = await runNodes(loop, {}, { flow: { limits: { max_steps: 400 } } });
    expect(entries).toHaveLength(limits.logEntriesMax + 2);
    expect(entries.slice(-2)).toMatchObject([
      { event: 'truncated', message: '301 more entries were left out.' },
      { event: 'run_failed', status: 'failed' },
    ]);
  });

  test.each([
    ['message', { message: 'x'.repeat(70_000), user_variables: {} }],
    ['user_variables', { message: '', user_variables: { x: 'x'.repeat(140_000) } }],
    ['event', { ...emptyInput, event: { data: { x: 'x'.repeat(270_000) } } }],
  ])('an input whose %s is too large is refused', async (name, input) => {
    const { outcome } = await runNodes({ a: { type: 'transform', output: 1 } }, {}, { options: { input } });
    expect(outcome).toMatchObject({
      error: { code: 'input.too_large', message: expect.stringContaining(`${name}:`) },
    });
  });
});

describe('input and output', () => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: false,
  };

  test('user variables that do not fit the flow are refused before the first node', async () => {
    const options = { input: { message: '', user_variables: { id: 1, x: 1 } } };
    const { outcome, snapshots } = await runNodes(
      { a: { type: 'transform', output: 1 } },
      {},
      { flow: { input: schema }, options },
    );
    expect(outcome).toEqual({
      status: 'failed',
      error: {
        code: 'input.invalid',
        message: 'user_variables: /id: expected string, got number; the value: unknown property "x".',
      },
    });
    expect(snapshots).toEqual([]);
  });

  test('a response that does not fit the flow fails the run', async () => {
    const { outcome } = await runNodes(
      { a: { type: 'end', output: { id: 1 } } },
      {},
      { flow: { output: schema } },
    );
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'output.invalid' } });
  });
});
