// The JSON Schema of the format, as editors use it: it takes what the check takes, and says something about
// every field.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { isObject } from '#lib/flow/format/json-value.ts';
import { publishedSchema } from '#lib/flow/published/flow-schema.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { exampleFlows, exampleNodes, exampleTests, samples, text, validate } from './published.ts';

describe('the published schema', () => {
  test.each(samples)('takes the sample flow %s', (name) => {
    expect(validate('', JSON.parse(text(`events/flows/${name}`)))).toBe(true);
  });

  test('takes every example of the documentation', () => {
    expect(exampleFlows.length).toBeGreaterThan(0);
    for (const flow of exampleFlows) expect(validate('', flow), JSON.stringify(flow)).toBe(true);
    expect(exampleTests.length).toBeGreaterThan(0);
    for (const tests of exampleTests)
      expect(validate('#/properties/tests', tests), JSON.stringify(tests)).toBe(true);
    expect(exampleNodes.length).toBeGreaterThan(10);
    for (const nodes of exampleNodes)
      expect(validate('#/properties/nodes', nodes), JSON.stringify(nodes)).toBe(true);
  });

  test('is the file that is published', () => {
    expect(JSON.parse(text('docs/flow-v1.schema.json'))).toEqual(publishedSchema());
  });

  test('lets a flow name its schema, as the check does', () => {
    const flow = { ...sampleFlows[0], $schema: 'http://127.0.0.1:3000/schemas/flow-v1.json' };
    expect(validate('', flow)).toBe(true);
    expect(checkFlow(flow).ok).toBe(true);
  });

  test('refuses no flow that the check accepts, whatever stands in one of its places', () => {
    const counts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.oneof(fc.constantFrom(...strange), fc.nat()),
        (flow, place, value) => {
          const changed = changedAt(sampleFlows[flow % sampleFlows.length] ?? {}, place, value);
          // Nothing is asked about a flow that the schema accepts, and the check of a good flow is what
          // takes long here.
          if (validate('', changed) === true) counts.taken++;
          else {
            counts.refused++;
            expect(checkFlow(changed).ok, JSON.stringify(changed)).toBe(false);
          }
        },
      ),
      { numRuns: 1500 },
    );
    expect(counts.taken).toBeGreaterThan(200);
    expect(counts.refused).toBeGreaterThan(200);
  });
});

const sampleFlows: readonly JsonObject[] = samples.map((name) => JSON.parse(text(`events/flows/${name}`)));

const strange: readonly Json[] = [
  ...['', 'x', '{{ state.x }}', 'x {{ 1 }}', 'https://api.example.com/', '2027-01-31T09:00:00Z', 'GET'],
  ...[null, true, -1, 1e9, [], {}, ['a'], { a: 1 }],
];

/** With the value at one of its places, counted in the order of the text. */
function changedAt(flow: JsonObject, place: number, value: Json): JsonObject {
  let places = 0;
  JSON.stringify(flow, (_key, member) => {
    places++;
    return member;
  });
  // The first is the flow itself.
  const chosen = 1 + (place % (places - 1));
  let at = 0;
  return JSON.parse(JSON.stringify(flow, (_key, member) => (at++ === chosen ? value : member)));
}

const isPart = (part: Json | undefined): part is JsonObject => isObject(part) && isObject(part.properties);
const { $defs = {} } = publishedSchema();
const parts = Object.entries({ flow: publishedSchema(), ...(isObject($defs) ? $defs : {}) }).flatMap(
  ([name, part]) => (isPart(part) && name !== 'json_schema' ? [{ name, part }] : []),
);
const fieldsOf = ({ properties }: JsonObject) => Object.entries(isObject(properties) ? properties : {});

describe('what an editor shows', () => {
  test.each(parts)('of $name has one sentence for the part and one for each field', ({ name, part }) => {
    for (const [field, schema] of [['', part] as const, ...fieldsOf(part)]) {
      const { description } = isObject(schema) ? schema : {};
      expect(description, `${name}.${field}`).toMatch(/^[^\n]{8,140}\.$/);
    }
  });

  test('names every node type', () => {
    for (const type of Object.keys(nodeTypes))
      expect(parts.map(({ name }) => name)).toContain(`${type}_node`);
  });

  test('leaves out no field: all that have fields are parts', () => {
    const inside = parts.flatMap(({ part }) =>
      fieldsOf(part).filter(([, schema]) => JSON.stringify(schema).includes('"properties":')),
    );
    expect(inside.map(([field]) => field)).toEqual([]);
  });

  test.each(parts)('of $name offers only defaults and examples that are valid', ({ name, part }) => {
    const root = name === 'flow' ? '#' : `#/$defs/${name}`;
    for (const [field, schema] of fieldsOf(part)) {
      if (!isObject(schema)) continue;
      const { default: fallback, examples } = schema;
      const offered = [
        ...(fallback === undefined ? [] : [fallback]),
        ...(Array.isArray(examples) ? examples : []),
      ];
      for (const one of offered)
        expect(validate(`${root}/properties/${field}`, one), `${name}.${field}`).toBe(true);
    }
  });
});
