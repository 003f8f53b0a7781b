// The subset of JSON Schema 2020-12 that flows may use. Keywords that would change the meaning if they were
// ignored are refused.

/** Keywords that any schema may have. They are for people and tools, and validation ignores them. */
export const annotations: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', '$anchor', 'title', 'description', 'default', 'examples', 'deprecated'],
  ...['readOnly', 'writeOnly', 'format', 'contentEncoding', 'contentMediaType'],
]);

export const typeNames: ReadonlySet<string> = new Set([
  ...['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'],
]);

export type KeywordKind =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'count'
  | 'number'
  | 'names'
  | 'pattern'
  | 'type'
  | 'list'
  | 'flag'
  | 'any'
  | 'ref';

/** Each keyword that is checked, and the kind of its value. */
export const keywords: Readonly<Record<string, KeywordKind>> = {
  type: 'type',
  enum: 'list',
  const: 'any',
  properties: 'schemaMap',
  required: 'names',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  minProperties: 'count',
  maxProperties: 'count',
  items: 'schema',
  prefixItems: 'schemas',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  contains: 'schema',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  anyOf: 'schemas',
  oneOf: 'schemas',
  allOf: 'schemas',
  not: 'schema',
  $ref: 'ref',
  $defs: 'schemaMap',
};
