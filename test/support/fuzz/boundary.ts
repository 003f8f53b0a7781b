// Values at the edges of what a schema allows, on both sides of each.
import { type JsonSchema, resolved, type Schemas } from '#test/support/arbitrary-json.ts';

const lengthMax = 300_000;

export function boundaryValues(schema: unknown, schemas: Schemas): readonly unknown[] {
  const found = resolved(schema, schemas);
  const choices = [...(found.anyOf ?? []), ...(found.oneOf ?? [])];
  return [
    ...choices.flatMap((each) => boundaryValues(each, schemas)),
    ...(found.enum ?? []),
    ...(found.const === undefined ? [] : [found.const]),
    ...ofType(found),
  ];
}

function ofType(schema: JsonSchema): readonly unknown[] {
  switch (schema.type) {
    case 'string':
      return textsAround(schema);
    case 'integer':
    case 'number':
      return numbersAround(schema);
    case 'array':
      return listsAround(schema);
    case 'object':
      return [{}, [], null];
    case 'boolean':
      return [true, false, 'true', 0];
    default:
      return [];
  }
}

function textsAround({ enum: words, pattern, minLength, maxLength }: JsonSchema): readonly unknown[] {
  const lengths = [minLength, maxLength].flatMap((edge) =>
    edge === undefined ? [] : [edge - 1, edge, edge + 1],
  );
  const filled = lengths
    .filter((length) => length >= 0 && length <= lengthMax)
    .map((length) => 'x'.repeat(length));
  const wrongCase = (words ?? []).map((word) => String(word).toUpperCase());
  // The bounds of a repetition stand in the pattern itself.
  const counts = [...(pattern ?? '').matchAll(/\{(\d+)(?:,(\d+))?\}/g)].flatMap(([, low, high]) =>
    [Number(high ?? low)].flatMap((edge) => ['a'.repeat(edge), 'a'.repeat(edge + 1), 'a'.repeat(edge + 2)]),
  );
  // Characters of four bytes, which length counts as two.
  const wide =
    maxLength === undefined || maxLength > 5_000 ? [] : ['😀'.repeat(maxLength), '😀'.repeat(maxLength / 2)];
  return [
    ...filled,
    ...wrongCase,
    ...counts,
    ...wide,
    '0',
    '00',
    '000',
    '1',
    '200',
    '201',
    '999',
    ' x',
    'x\n',
  ];
}

const numbersAround = ({ minimum, maximum }: JsonSchema): readonly unknown[] => [
  ...[minimum, maximum].flatMap((edge) => (edge === undefined ? [] : [edge - 1, edge, edge + 1])),
  1.5,
  '1',
  -1,
];

function listsAround({ minItems = 0, maxItems, items }: JsonSchema): readonly unknown[] {
  const words = typeof items === 'object' && items !== null && 'enum' in items ? items.enum : undefined;
  const item: unknown = Array.isArray(words) ? words[0] : 'x';
  const lengths = [minItems - 1, minItems, ...(maxItems === undefined ? [] : [maxItems, maxItems + 1])];
  return lengths
    .filter((length) => length >= 0)
    .map((length) => Array.from({ length }, (_, n) => (words === undefined ? `${item}${n}` : item)));
}
