// Finds mistakes in a JSON Schema itself, when a flow is registered.
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
 * The first twenty mistakes, each with its path inside the schema. The depth of the schema must be bounded.
 * `checkPattern` throws a NodeError for a pattern that is not available; any other error ends the check.
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

interface Position {
  readonly root: Json;
  readonly path: readonly (string | number)[];
  readonly problems: SchemaProblem[];
  readonly patterns: { count: number };
  readonly checkPattern: CheckPattern;
}

function readSchema(schema: Json, position: Position): void {
  if (typeof schema === 'boolean') return;
  if (!isObject(schema)) report(position, 'expected a JSON Schema: an object, true or false');
  else readKeywords(schema, position);
}

function readKeywords(schema: JsonObject, position: Position): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    const here = inside(position, keyword);
    if (kind) readers[kind](value, here);
    else if (!annotations.has(keyword) && !keyword.startsWith('x-')) {
      report(here, `the JSON Schema keyword "${truncate(keyword, 100)}" is not supported`);
    }
  }
}

const expect =
  (isRight: (value: Json) => boolean, detail: string) =>
  (value: Json, position: Position): void => {
    if (!isRight(value)) report(position, detail);
  };

const readers: Readonly<Record<KeywordKind, (value: Json, position: Position) => void>> = {
  any: () => {},
  schema: readSchema,
  schemas: (value, position) => {
    if (!isList(value) || value.length === 0)
      return report(position, 'expected a list of at least one schema');
    for (const [index, schema] of value.entries()) readSchema(schema, inside(position, index));
  },
  schemaMap: (value, position) => {
    if (!isObject(value)) return report(position, 'expected an object of schemas');
    for (const [name, schema] of Object.entries(value)) readSchema(schema, inside(position, name));
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
  pattern: (value, position) => {
    if (typeof value !== 'string') return report(position, 'expected a regular expression as text');
    if (++position.patterns.count > limits.patternsMax) {
      report(position, `expected at most ${limits.patternsMax} patterns in a schema`);
      return;
    }
    try {
      position.checkPattern(value);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      report(position, error.message);
    }
  },
  ref: (value, position) => {
    const name = typeof value === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec(value)?.[1] : undefined;
    const defs = isObject(position.root) ? position.root.$defs : undefined;
    if (value === '#' || (name !== undefined && isObject(defs) && Object.hasOwn(defs, name))) return;
    report(position, 'expected "#" or "#/$defs/<name>" with a name that is in $defs');
  },
};

const isTypeName = (value: Json) => typeof value === 'string' && typeNames.has(value);

const inside = (position: Position, step: string | number): Position => ({
  ...position,
  path: [...position.path, step],
});

const report = ({ path, problems }: Position, detail: string): void => {
  if (problems.length < problemsMax) problems.push({ path, detail });
};
