// The JSON Schemas inside a flow, as JSON Schema: the part of 2020-12 that flows may use, from the table that the check reads.
import type { JsonObject } from '#lib/json/json.ts';
import { annotations, type KeywordKind, keywords, typeNames } from '../schema/dialect.ts';

export const jsonSchemaSchema = (): JsonObject => ({
  title: 'JSON Schema',
  description: 'A JSON Schema of the part of 2020-12 that flows may use.',
  type: 'object',
  properties: {
    ...Object.fromEntries(Object.entries(keywords).map(([keyword, kind]) => [keyword, byKind[kind]])),
    ...Object.fromEntries([...annotations].map((keyword) => [keyword, {}])),
  },
  patternProperties: { '^x-': {} },
  additionalProperties: false,
});

/** `true` and `false` are schemas too, but not the outermost one. */
const schema = { anyOf: [{ type: 'boolean' }, { $ref: '#/$defs/json_schema' }] };
const typeName = { enum: [...typeNames] };

const byKind: Readonly<Record<KeywordKind, JsonObject>> = {
  any: {},
  schema,
  schemas: { type: 'array', items: schema, minItems: 1 },
  schemaMap: { type: 'object', additionalProperties: schema },
  count: { type: 'integer', minimum: 0 },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  list: { type: 'array', minItems: 1 },
  names: { type: 'array', items: { type: 'string' } },
  pattern: { type: 'string' },
  type: { anyOf: [typeName, { type: 'array', items: typeName, minItems: 1 }] },
  ref: { type: 'string', pattern: '^#(/\\$defs/[^/~%]+)?$' },
};
