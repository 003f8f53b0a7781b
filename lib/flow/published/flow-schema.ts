// The flow format as JSON Schema 2020-12, for editors: the shapes, the rules of `format-notes.ts` that stand beside them, and words for each field.
// What only `check.ts` can know, because it takes more than one place of the flow, is not in it.
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import { flowSchema } from '../definition/flow.ts';
import { isObject } from '../format/json-value.ts';
import { type FieldRule, notes } from '../format/notes.ts';
import type { PartWords, Word } from './describe.ts';
import { jsonSchemaSchema } from './json-schema-schema.ts';
import { nodeWords } from './node-descriptions.ts';
import { addNotes } from './notes.ts';
import { ruleSchema } from './rules.ts';
import { flowWords, partWords } from './section-descriptions.ts';

/** The same wherever the service is deployed, so that an editor takes copies of it for one. */
export const publishedSchemaId = 'urn:agent-flow-service:schema:flow-v1';

export const publishedSchema = lazy((): JsonObject => {
  addNotes();
  const made = z.toJSONSchema(flowSchema, { metadata: notes, io: 'input', unrepresentable: 'any' });
  const { $schema = '', $defs, ...flow } = z.record(z.string(), z.json()).parse(made);
  const parts = Object.entries(isObject($defs) ? $defs : {}).map(([name, part]) => [
    name,
    isObject(part) ? finished(part, wordsOf[name]) : part,
  ]);
  return {
    ...{ $schema, $id: publishedSchemaId },
    ...finished(flow, flowWords),
    $defs: { ...Object.fromEntries(parts), json_schema: jsonSchemaSchema() },
  };
});

const wordsOf: Readonly<Record<string, PartWords>> = { ...partWords, ...nodeWords };

/** Its rules become keywords, and its fields get their words. */
function finished(part: JsonObject, words: PartWords | undefined): JsonObject {
  const { rules, properties, ...rest } = part;
  if (!words || !isObject(properties)) return part;
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    { ...(isObject(field) ? field : {}), ...sentence(words.fields[name]) },
  ]);
  return {
    ...{ title: words.title, description: words.about, ...rest },
    properties: Object.fromEntries(fields),
    ...(isRules(rules) && { allOf: rules.map(ruleSchema) }),
  };
}

/** They come from the registry of notes through zod, which knows them as JSON. */
const isRules = (rules: unknown): rules is readonly FieldRule[] => Array.isArray(rules);

const sentence = (word: Word | undefined): JsonObject =>
  typeof word === 'object' ? { ...word } : word === undefined ? {} : { description: word };
