// Finds what is wrong with a JSON Schema itself, when a flow is registered.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { linearPattern } from '../expression/regex.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { annotations, type KeywordKind, keywords, typeNames } from './dialect.ts';

export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly detail: string;
}

/**
 * The first twenty problems, each with its path inside the schema. The schema is JSON of bounded depth. `checkPattern` throws for a pattern that
 * is not available; whatever else it throws ends the check.
 */
export function schemaProblems(
  schema: Json | undefined,
  checkPattern: CheckPattern = linearPattern,
): readonly SchemaProblem[] {
  if (schema === undefined) return [];
  const problems: SchemaProblem[] = [];
  readSchema(schema, { root: schema, path: [], problems, patterns: { count: 0 }, checkPattern });
  return problems;
}

export type CheckPattern = (source: string) => void;

const problemsMax = 20;

interface Place {
  readonly root: Json;
  readonly path: readonly (string | number)[];
  readonly problems: SchemaProblem[];
  readonly patterns: { count: number };
  readonly checkPattern: CheckPattern;
}

function readSchema(schema: Json, place: Place): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) report(place, 'expected a JSON Schema: an object, true or false');
  else readKeywords(schema, place);
}

function readKeywords(schema: JsonObject, place: Place): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    const here = inside(place, keyword);
    if (kind) readers[kind](value, here);
    else if (!annotations.has(keyword) && !keyword.startsWith('x-')) {
      report(here, `the JSON Schema keyword "${truncate(keyword, 100)}" is not supported`);
    }
  }
}

const expect =
  (isRight: (value: Json) => boolean, detail: string) =>
  (value: Json, place: Place): void => {
    if (!isRight(value)) report(place, detail);
  };

const readers: Readonly<Record<KeywordKind, (value: Json, place: Place) => void>> = {
  any: () => {},
  schema: readSchema,
  schemas: (value, place) => {
    if (!isList(value) || value.length === 0) return report(place, 'expected a list of at least one schema');
    for (const [index, schema] of value.entries()) readSchema(schema, inside(place, index));
  },
  schemaMap: (value, place) => {
    if (!isObject(value)) return report(place, 'expected an object of schemas');
    for (const [name, schema] of Object.entries(value)) readSchema(schema, inside(place, name));
  },
  count: expect(
    (value) => Number.isInteger(value) && Number(value) >= 0,
    'expected a whole number of 0 or more',
  ),
  number: expect((value) => typeof value === 'number', 'expected a number'),
  flag: expect((value) => typeof value === 'boolean', 'expected true or false'),
  list: expect((value) => isList(value) && value.length > 0, 'expected a list of at least one value'),
  names: expect(
    (value) => isList(value) && value.every((name) => typeof name === 'string'),
    'expected a list of property names',
  ),
  type: expect(
    (value) => (isList(value) ? value.length > 0 && value.every(isTypeName) : isTypeName(value)),
    `expected one of ${[...typeNames].join(', ')}, or a list of them`,
  ),
  pattern: (value, place) => {
    if (typeof value !== 'string') return report(place, 'expected a regular expression as text');
    if (++place.patterns.count > limits.patternsMax) {
      report(place, `expected at most ${limits.patternsMax} patterns in a schema`);
      return;
    }
    try {
      place.checkPattern(value);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      report(place, error.message);
    }
  },
  ref: (value, place) => {
    const name = typeof value === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec(value)?.[1] : undefined;
    const defs = isObject(place.root) ? place.root.$defs : undefined;
    if (value === '#' || (name !== undefined && isObject(defs) && Object.hasOwn(defs, name))) return;
    report(place, 'expected "#" or "#/$defs/<name>" with a name that is in $defs');
  },
};

const isTypeName = (value: Json) => typeof value === 'string' && typeNames.has(value);

const inside = (place: Place, step: string | number): Place => ({ ...place, path: [...place.path, step] });

const report = ({ path, problems }: Place, detail: string): void => {
  if (problems.length < problemsMax) problems.push({ path, detail });
};
