// Flows of up to 2 MB that the check accepts, each with as much as there may be of what compiling, comparing
// or reading a manifest walks.
import { isObject } from '#lib/flow/format/json-value.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => Json, prefix = 'k'): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${index}`, make(index)]));
const newFlow = (nodes: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ version: 1, name: 'Large', start: 'k0', nodes },
  ...more,
});
const transform = (output: Json, more: JsonObject = {}): JsonObject => ({
  type: 'transform',
  output,
  ...more,
});
const next = (index: number) => (index < 499 ? { next: `k${index + 1}` } : {});

/** Each falls back to the next. */
const models = named(
  100,
  (index) => ({ provider: 'bedrock', model: `m${index}`, ...(index < 99 && { fallback: `m${index + 1}` }) }),
  'm',
);
const hosts = times(50, (index) => `h${index}.example`);
const tool = (name: string, host: string): JsonObject => ({
  ...{ http: { url: `https://${host}/` }, name, description: 'd' },
  parameters: { type: 'object', properties: { a: { type: 'string' } } },
});

/** Blocks inside blocks, as deep and as wide as five levels of 500 nodes can be. */
function nested(depth: number, id: { next: number }): JsonObject {
  const nodes: Record<string, Json> = {};
  const start = `k${id.next}`;
  const own = times(depth === 5 ? 25 : 2, () => `k${id.next++}`);
  for (const [index, name] of own.entries()) {
    const to = own[index + 1];
    const more = to === undefined ? {} : { next: to };
    nodes[name] =
      depth === 5
        ? transform('{{ input.message }}', more)
        : { type: 'map', items: '{{ [1, 2] }}', body: nested(depth + 1, id), ...more };
  }
  return { start, nodes };
}

export const largeFlows: Readonly<Record<string, () => JsonObject>> = {
  numbers: () => newFlow({ k0: transform(times(900_000, () => 1)) }),
  'members of one object': () => newFlow({ k0: transform(named(140_000, () => 1)) }),
  'deep values': () =>
    newFlow({ k0: transform(times(19_000, () => JSON.parse(`${'['.repeat(50)}1${']'.repeat(50)}`))) }),
  'texts with expressions': () =>
    newFlow({ k0: transform(times(4_900, () => `${'x '.repeat(170)}{{ input.message }}`)) }),
  'a text with all expressions': () =>
    newFlow({ k0: transform(`${'x'.repeat(350)}{{ input.message }}`.repeat(4_900)) }),
  'properties of schemas': () =>
    newFlow({
      k0: {
        ...{ type: 'llm', prompt: 'x' },
        output_schema: { type: 'object', properties: named(60_000, () => ({ type: 'string' })) },
      },
    }),
  'nodes with a long text': () => newFlow(named(500, (index) => transform('x'.repeat(3_700), next(index)))),
  'ways in all directions': () =>
    newFlow(
      named(500, (index) =>
        transform(1, {
          next: `k${(index + 1) % 500}`,
          ...(index % 2 === 0 && { max_visits: 2 }),
          catch: times(15, (way) => ({ on: ['timeout'], next: `k${(index * 7 + way * 13) % 500}` })),
        }),
      ),
    ),
  'cases of switches': () =>
    newFlow(
      named(490, (index) => ({
        ...{ type: 'switch', default: `k${(index + 1) % 490}`, max_visits: 3 },
        cases: times(10, (at) => ({ when: `{{ state.n = ${at} }}`, next: `k${(index * 3 + at) % 490}` })),
      })),
      { state: { n: 1 } },
    ),
  'long URLs': () =>
    newFlow(
      named(490, (index) => ({
        ...{ type: 'http', url: `https://a.example/${'%20/'.repeat(900)}{{ input.message }}` },
        ...(index < 489 ? { next: `k${index + 1}` } : {}),
      })),
      { egress: ['a.example'] },
    ),
  'agents with all their tools': () =>
    newFlow(
      named(90, (index) => ({
        ...{ type: 'agent', instructions: 'x', model: `m${index}` },
        tools: times(120, (one) => tool(`t${one}`, hosts[one % 50] ?? '')),
        ...(index < 89 ? { next: `k${index + 1}` } : {}),
      })),
      { models, egress: hosts },
    ),
  models: () =>
    newFlow(
      named(499, (index) => ({
        ...{ type: 'llm', prompt: 'x'.repeat(3_000), model: `m${index % 100}` },
        ...(index < 498 ? { next: `k${index + 1}` } : {}),
      })),
      { models },
    ),
  'blocks inside blocks': () => {
    const { start, nodes } = nested(1, { next: 0 });
    return { ...newFlow({}), start: start ?? 'k0', nodes: nodes ?? {} };
  },
};

/**
 * With a title at the end of each node, so that whoever compares two of them looks at everything before it.
 */
export const titled = (flow: JsonObject, title: string): JsonObject => ({
  ...flow,
  nodes: Object.fromEntries(
    Object.entries(isObject(flow.nodes) ? flow.nodes : {}).map(([id, node]) => [
      id,
      isObject(node) ? { ...node, title } : node,
    ]),
  ),
});
