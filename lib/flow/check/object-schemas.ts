// Warns about schemas of the flow's input and output that refuse every object: `user_variables` and the response are
// objects in every run.
import type { JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import type { Flow } from '../definition/flow.ts';
import { isList, isObject } from '../format/json-value.ts';
import type { Warning } from './mistake.ts';

export const findObjectSchemaWarnings = ({ input, output }: Flow): readonly Warning[] => [
  ...checkSchema('input', input, '`user_variables`, which it describes, is an object in every run'),
  ...checkSchema('output', output, 'the response, which it describes, is an object in every run'),
];

function checkSchema(field: 'input' | 'output', schema: JsonObject | undefined, why: string): Warning[] {
  const keyword = schema && (['type', 'const', 'enum'] as const).find((name) => refusesObjects[name](schema));
  if (!keyword) return [];
  const detail = `this refuses every run: ${why}`;
  return [{ pointer: pointerTo([field, keyword]), code: 'schema_never_fits', detail }];
}

const refusesObjects = {
  type: ({ type }: JsonObject) => type !== undefined && !(isList(type) ? type : [type]).includes('object'),
  const: (schema: JsonObject) => Object.hasOwn(schema, 'const') && !isObject(schema.const),
  enum: (schema: JsonObject) => isList(schema.enum) && !schema.enum.some(isObject),
};
