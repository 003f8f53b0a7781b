// Whatever comes in as a flow, the check answers; and what it accepts, the engine runs to an outcome.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { run, scripted } from '../scripted.ts';

const id = fc.constantFrom('a', 'b', 'c', 'toString', '__proto__', '', 'A/~');
const text = fc.oneof(
  id,
  fc.string(),
  fc.constantFrom(
    '{{',
    '}}',
    '{{ }}',
    '{{ state.x',
    '{{ nodes.a }}',
    '{{ nodes.z }}',
    '{{ /x',
    '{{ "',
    '{{ "}}',
    '{{ `',
    '{{ /* ',
    '{{ $eval }}',
  ),
  fc.string().map((source) => `{{ ${source} }}`),
);
const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text, fc.array(text, { maxLength: 3 }));
const type = fc.oneof(fc.constantFrom(...Object.keys(nodeTypes)), value);
const fields = fc.constantFrom(
  ...[
    'next',
    'output',
    'prompt',
    'messages',
    'model',
    'output_schema',
    'url',
    'query',
    'headers',
    'body',
    'method',
  ],
  ...[
    'cases',
    'default',
    'text',
    'data',
    'message',
    'code',
    'retry',
    'catch',
    'assign',
    'timeout_seconds',
    'ui',
    'items',
    'seconds',
    'choices',
    'arguments',
    'user_variables',
  ],
);
const node = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(type, fc.dictionary(fields, value, { maxKeys: 4 }))
      .map(([name, rest]) => ({ ...rest, type: name })),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('transform'), output: value, next: id }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('end'),
      output: fc.dictionary(fc.constantFrom('x', 'y'), value),
    }),
  },
  { weight: 1, arbitrary: value },
);
const top = fc.constantFrom(
  'input',
  'output',
  'state',
  'models',
  'connections',
  'egress',
  'limits',
  'tests',
  'other',
);
const flow = fc
  .tuple(
    fc.dictionary(fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b') }, id), node, { maxKeys: 4 }),
    id,
    fc.dictionary(top, value, { maxKeys: 2 }),
  )
  .map(([nodes, start, more]) => ({ version: 1, name: 'Fuzz', start, nodes, ...more }));

test('the check never throws, and every mistake has a pointer and words', () => {
  fc.assert(
    fc.property(fc.oneof(flow, fc.anything()), (input) => {
      const checked = checkFlow(input);
      if (checked.ok) return;
      expect(checked.errors.length).toBeGreaterThan(0);
      for (const { pointer, detail } of checked.errors) {
        expect(pointer).toMatch(/^(\/[^/]*)*$/);
        expect(detail).not.toBe('');
      }
    }),
    { numRuns: 2000 },
  );
});

test('what the check accepts runs to an outcome', async () => {
  let accepted = 0;
  const small = fc
    .record({
      output: value,
      start: fc.constant('a'),
      response: fc.dictionary(fc.constantFrom('x', 'y'), value),
    })
    .map(({ output, start, response }) => ({
      version: 1,
      name: 'Fuzz',
      start,
      nodes: { a: { type: 'transform', output, next: 'b' }, b: { type: 'end', output: response } },
    }));
  await fc.assert(
    fc.asyncProperty(small, async (input) => {
      const checked = checkFlow(input);
      if (!checked.ok) return;
      accepted++;
      const outcome = await run(checked.flow, scripted());
      expect(['completed', 'failed']).toContain(outcome.status);
      if (outcome.status === 'failed') expect(outcome.error.code).toMatch(/^(expression|value|output)\./);
    }),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(50);
});
