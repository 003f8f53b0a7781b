// The flow format as JSON Schema 2020-12, for editors: the schemas with their descriptions, and the rules of `format/notes.ts`.
// What only the check of a whole flow can find, such as an unknown node id, is not in it.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { flowSchema } from '../definition/flow.ts';
import { isObject } from '../format/json-value.ts';
import { nodeRules } from '../format/node-fields.ts';
import { type FieldRule, notes } from '../format/notes.ts';
import { jsonSchemaSchema } from './json-schema-schema.ts';
import { addNotes } from './notes.ts';
import { ruleSchema } from './rules.ts';

/** The same wherever the service is deployed, so that an editor recognises copies of it. */
export const publishedSchemaId = 'urn:agent-flow-service:schema:flow-v1';

export const publishedSchema = lazy((): JsonObject => {
  addNotes();
  const generated = z.toJSONSchema(flowSchema, { metadata, io: 'input', unrepresentable: 'any' });
  const { $schema = '', $defs = {}, ...flow } = z.record(z.string(), z.json()).parse(generated);
  const definitions = isObject($defs) ? $defs : {};
  return {
    $schema,
    $id: publishedSchemaId,
    ...toPublished(flow, definitions),
    $defs: {
      ...Object.fromEntries(
        Object.entries(definitions).map(([name, definition]) => [
          name,
          isObject(definition) ? toPublished(definition, definitions) : definition,
        ]),
      ),
      json_schema: jsonSchemaSchema(),
    },
  };
});

/** What the schemas say of themselves with `.meta()` for editors, together with the notes. */
const metadata: typeof notes = Object.assign(z.registry<Readonly<Record<string, unknown>>>(), {
  get: (schema: z.core.$ZodType) => {
    const { title, description, default: fallback, examples } = z.globalRegistry.get(schema) ?? {};
    return {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { default: fallback }),
      ...(examples !== undefined && { examples }),
      ...notes.get(schema),
    };
  },
});

/** Puts title and description first, and replaces the rules by keywords. */
function toPublished(generated: JsonObject, definitions: JsonObject): JsonObject {
  const { title, description, rules, properties, ...rest } = generated;
  const common = isObject(properties) && 'max_visits' in properties ? nodeRules() : [];
  const all = [...common, ...(isRules(rules) ? rules : [])];
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...rest,
    ...(isObject(properties) && { properties: toFields(properties, description, definitions) }),
    ...(all.length > 0 && { allOf: all.map(ruleSchema) }),
  };
}

/** The `type` of a node has the description of the node. */
function toFields(
  properties: JsonObject,
  description: Json | undefined,
  definitions: JsonObject,
): JsonObject {
  const fields = Object.entries(properties).map(([name, field]) => {
    if (!isObject(field)) return [name, field];
    if (name === 'type' && 'const' in field && description !== undefined)
      return [name, { ...field, description }];
    return [name, withoutInherited(field, definitions)];
  });
  return Object.fromEntries(fields);
}

/** zod repeats members of a definition beside a reference to it, where a refinement stands between them. */
function withoutInherited(field: JsonObject, definitions: JsonObject): JsonObject {
  const name = typeof field.$ref === 'string' ? field.$ref.slice('#/$defs/'.length) : '';
  const definition = definitions[name];
  if (!isObject(definition)) return field;
  const isInherited = (key: string, value: Json) => JSON.stringify(definition[key]) === JSON.stringify(value);
  return Object.fromEntries(Object.entries(field).filter(([key, value]) => !isInherited(key, value)));
}

/** They come from the registry of notes through zod, which types them as JSON. */
const isRules = (rules: unknown): rules is readonly FieldRule[] => Array.isArray(rules);
