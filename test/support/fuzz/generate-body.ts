// Bodies for an operation: its example, values that fit its schema, both with some members changed, and texts
// that are not JSON.
import fc from 'fast-check';
import * as z from 'zod';
import { fitting, resolved, type Schemas } from '#test/support/arbitrary-json.ts';
import type { ApiDocument, Operation } from './api-document.ts';
import { boundaryValues } from './boundary.ts';
import type { FuzzBody } from './fuzz-request.ts';
import type { KnownValues, Seeds } from './generate.ts';
import { hostileBodyText, hostileText, hostileValue } from './hostile.ts';

/** One place of a value, by number, and what becomes of it. */
interface Change {
  readonly place: number;
  readonly kind: 'replace' | 'remove' | 'add' | 'edge';
  readonly name: string;
  readonly value: unknown;
}

const changes: fc.Arbitrary<readonly Change[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 3 },
  {
    arbitrary: fc.array(
      fc.record({
        place: fc.nat(10_000),
        kind: fc.constantFrom('replace', 'remove', 'add', 'edge', 'edge'),
        name: hostileText,
        value: hostileValue,
      }),
      { minLength: 1, maxLength: 3 },
    ),
    weight: 4,
  },
);

const nothing: FuzzBody = { kind: 'none' };

export function bodies(document: ApiDocument, operation: Operation, seeds: Seeds): fc.Arbitrary<FuzzBody> {
  const { body } = operation;
  if (!body) return fc.constant(nothing);
  const { schemas } = document;
  const base = seeds.bodies?.[operation.id] ?? whole(body.schema, body.example, schemas, seeds.known);
  const json = fc
    .tuple(base, changes)
    .map(([value, some]): FuzzBody => ({ kind: 'json', value: changed(value, some, body.schema, schemas) }));
  return fc.oneof(
    { arbitrary: json, weight: 40 },
    { arbitrary: hostileBodyText.map((text): FuzzBody => ({ kind: 'text', text })), weight: 2 },
    {
      arbitrary: fc
        .uint8Array({ minLength: 1, maxLength: 200 })
        .map((bytes): FuzzBody => ({ kind: 'bytes', bytes })),
      weight: 1,
    },
    { arbitrary: fc.constant(nothing), weight: 1 },
  );
}

/** Made from the schema, or the example with some members from the schema. */
function whole(
  schema: unknown,
  example: unknown,
  schemas: Schemas,
  known: KnownValues,
): fc.Arbitrary<unknown> {
  const { properties = {} } = resolved(schema, schemas);
  const members = Object.entries(properties).map(([name, each]) => {
    const existing = known[name];
    const edges = boundaryValues(each, schemas);
    const made = fitting(each, schemas);
    return [
      name,
      fc.oneof(
        { arbitrary: existing ? fc.constantFrom<unknown>(...existing) : made, weight: 6 },
        { arbitrary: made, weight: 4 },
        { arbitrary: edges.length > 0 ? fc.constantFrom(...edges) : made, weight: 1 },
      ),
    ];
  });
  const some = fc
    .record<Record<string, unknown>, string>(Object.fromEntries(members), {
      requiredKeys: [],
      noNullPrototype: true,
    })
    .map((given) => ({ ...z.object({}).loose().catch({}).parse(example), ...given }));
  return fc.oneof(fc.constant(example), some, fitting(schema, schemas));
}

function changed(value: unknown, all: readonly Change[], schema: unknown, schemas: Schemas): unknown {
  let current = value;
  for (const change of all) {
    const places = placesIn(current);
    const place = places[change.place % places.length] ?? [];
    current = changedAt(current, place, (old) =>
      applied(old, change, () => boundariesAt(schema, place, schemas)),
    );
  }
  return current;
}

const removed = Symbol('removed');

function applied(
  old: unknown,
  { place, kind, name, value }: Change,
  edges: () => readonly unknown[],
): unknown {
  if (kind === 'remove') return removed;
  if (kind === 'edge') {
    const found = edges();
    return found.length > 0 ? found[place % found.length] : value;
  }
  if (kind === 'add' && isObject(old)) return { ...old, ...Object.fromEntries([[name, value]]) };
  if (kind === 'add' && Array.isArray(old)) return [...old, value];
  return value;
}

type Path = readonly string[];
const placesMax = 400;

/** Level by level, the value itself first: values that a change made may be deep or large. */
function placesIn(value: unknown): readonly Path[] {
  const places: Path[] = [[]];
  const values: unknown[] = [value];
  for (let next = 0; next < values.length && places.length < placesMax; next += 1) {
    const inside = values[next];
    const place = places[next];
    if (typeof inside !== 'object' || inside === null || place === undefined || place.length > 20) continue;
    for (const [name, member] of Object.entries(inside).slice(0, placesMax - places.length)) {
      places.push([...place, name]);
      values.push(member);
    }
  }
  return places;
}

function changedAt(value: unknown, [name, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (name === undefined) {
    const next = change(value);
    return next === removed ? undefined : next;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    if (key !== name) return [[key, member]];
    const next = rest.length === 0 ? change(member) : changedAt(member, rest, change);
    return next === removed ? [] : [[key, next]];
  });
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}

/** The boundary values of the schema at a path, as far as it can be found without the value. */
function boundariesAt(schema: unknown, path: Path, schemas: Schemas): readonly unknown[] {
  let current: unknown = schema;
  for (const name of path) {
    current = memberSchema(current, name, schemas);
    if (current === undefined) return [];
  }
  return boundaryValues(current, schemas);
}

function memberSchema(schema: unknown, name: string, schemas: Schemas): unknown {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = resolved(schema, schemas);
  const choices = [...anyOf, ...oneOf].map((each) => memberSchema(each, name, schemas));
  const isIndex = /^\d+$/.test(name);
  return (
    (Object.hasOwn(properties, name) ? properties[name] : undefined) ??
    (isIndex ? items : undefined) ??
    choices.find(isObject) ??
    (isObject(additionalProperties) ? additionalProperties : undefined)
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
