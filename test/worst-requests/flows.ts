// The costliest builds that their limits allow: a card and a flow that take long to check, to store and to
// compare.
import { limits } from '#lib/flow/format/limits.ts';

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const named = <T>(count: number, make: (n: number) => T) =>
  Object.fromEntries(many(count, (n) => [`n${n}`, make(n)] as const));

/**
 * As large as a card may be, of characters whose JSON is twice as long, and twice as long again inside an
 * answer.
 */
export const largestCard = {
  name: 'x'.repeat(128),
  description: '"'.repeat(4_096),
  tags: many(30, (n) => `t${n}${'"'.repeat(40)}`),
  skills: many(24, (n) => ({ id: `s${n}`, name: '"'.repeat(128), description: '"'.repeat(1_200) })),
};

export const smallCard = { name: 'x', description: 'x', skills: [{ id: 'x', name: 'x', description: 'x' }] };
const flow = (some: object) => ({ version: 1, name: 'x', start: 'done', ...some });
const end = (output: unknown = {}) => ({ type: 'end', output });
const transforms = (expression: string, count: number) =>
  flow({
    start: 'n0',
    nodes: {
      ...named(count, (n) => ({
        type: 'transform',
        output: expression,
        next: n + 1 < count ? `n${n + 1}` : 'done',
      })),
      done: end(),
    },
  });

/** Below what a body and a flow may have. */
const flowBytes = 1_900_000;
const repeated = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const expressions = (expression: string) =>
  transforms(expression, Math.min(limits.nodesMax - 1, Math.floor(flowBytes / (expression.length + 60))));
const long = limits.expressionCharsMax - 40;

const schemas = (keyword: object) => ({
  allOf: many(Math.floor(flowBytes / (JSON.stringify(keyword).length + 1)), () => keyword),
});

export const costlyFlows: Readonly<Record<string, object>> = {
  'text of 2 MB': flow({ nodes: { done: end({ text: 'x"'.repeat(flowBytes / 3) }) } }),
  'paths of 2,500 names': expressions(`{{ $count(${repeated('a.', long - 20)}a) }}`),
  divisions: expressions(`{{ ${repeated('a/', long - 20)}a }}`),
  'quoted names': expressions(`{{ ${repeated('`%`.', long - 20)}a }}`),
  'regular expressions': expressions(`{{ $match(input.message, /${repeated('\\p{L}{999}', long - 60)}/) }}`),
  'nested expressions': expressions(`{{ ${'('.repeat(900)}1${')'.repeat(900)} }}`),
  'keywords of a schema': flow({ input: schemas({ uniqueItems: true }), nodes: { done: end() } }),
  'alternatives of a schema': flow({
    input: { anyOf: many(60_000, (n) => ({ const: { a: n } })) },
    nodes: { done: end() },
  }),
  'a schema with patterns': flow({
    input: { allOf: many(490, (n) => ({ type: 'string', pattern: `^(a|b){${n + 1},999}$` })) },
    nodes: { done: end() },
  }),
  'tools with patterns': flow({
    start: 'agent',
    nodes: {
      agent: {
        type: 'agent',
        instructions: 'x',
        prompt: 'x',
        tools: named(60, () => ({
          type: 'http',
          description: 'x',
          url: 'https://a.example/',
          parameters: {
            type: 'object',
            properties: named(480, () => ({ type: 'string', pattern: 'a{1,9}' })),
          },
        })),
        next: 'done',
      },
      done: end(),
    },
  }),
  'edges in all directions': flow({
    start: 'n0',
    nodes: named(limits.nodesMax - 1, () => ({
      type: 'switch',
      cases: many(limits.casesMax, (n) => ({
        when: '{{ true }}',
        next: `n${(n * 7) % (limits.nodesMax - 1)}`,
      })),
      default: 'n0',
    })),
  }),
  'unknown nodes': flow({ nodes: named(30_000, () => ({ type: 'x', next: 'y' })) }),
  'unknown members': flow({
    nodes: { done: end() },
    ...Object.fromEntries(many(150_000, (n) => [`m${n}`, 1])),
  }),
  'deep values': flow({ nodes: { done: end(nested(60, flowBytes)) } }),
  tests: flow({
    nodes: { done: end({ said: '{{ input.message }}' }) },
    tests: many(limits.testsMax, () => ({
      input: { message: 'x'.repeat(10_000) },
      expect: '{{ response.said = "y" }}',
    })),
  }),
};

function nested(depth: number, bytes: number): unknown {
  const list = many(Math.floor(bytes / (2 * depth + 2)), () => many(1, () => deep(depth - 5)));
  return { list };
}

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}

/**
 * Takes a value that is checked by all of its schema: what a body may cost where the flow says how it is
 * checked.
 */
export const checkingFlow = flow({
  input: { type: 'object', properties: { list: { allOf: many(5_000, () => ({ uniqueItems: true })) } } },
  nodes: { done: end() },
});
export const askingFlow = flow({
  start: 'sure',
  nodes: {
    sure: {
      type: 'ask',
      prompt: 'x',
      schema: { allOf: many(600, () => ({ uniqueItems: true })) },
      next: 'done',
    },
    done: end(),
  },
});
export const largeAnswer = flow({
  nodes: { done: end({ text: '{{ input.message }}', again: '{{ input.user_variables }}' }) },
});
/** Each test computes for as long as it may, and fails with a large response. */
export const testedFlow = flow({
  nodes: {
    done: end({ text: '{{ $join($map([1..2000], function($n) { $string(input.message) & $n }), "") }}' }),
  },
  tests: many(limits.testsMax, () => ({
    input: { message: '"'.repeat(60) },
    expect: '{{ response.text = "y" }}',
  })),
});
