// The rules of `format-notes.ts` and the kinds of tools in the words of JSON Schema.
import type { JsonObject } from '#lib/json/json.ts';
import { toolKinds } from '../agent/definition.ts';
import type { FieldRule } from '../format/notes.ts';

/** `errorMessage` is what editors of the VS Code family say instead of "matches a schema that is not allowed". */
export const ruleSchema = (rule: FieldRule): JsonObject => ({
  ...keywords[rule.kind](rule),
  errorMessage: rule.detail,
});

const needing = (name: string) => ({ required: [name] });

const keywords: Readonly<Record<FieldRule['kind'], (rule: FieldRule) => JsonObject>> = {
  exactlyOne: ({ names }) => ({ oneOf: names.map(needing) }),
  atLeastOne: ({ names }) => ({ anyOf: names.map(needing) }),
  needs: ({ names: [field = '', other = ''], values }) =>
    values?.[field]
      ? {
          anyOf: [
            { required: [other] },
            { not: { required: [field], properties: { [field]: { enum: values[field] } } } },
          ],
        }
      : { dependentRequired: { [field]: [other] } },
  apart: ({ names, values = {} }) => ({
    not: {
      required: names,
      properties: Object.fromEntries(Object.entries(values).map(([name, all]) => [name, { enum: all }])),
    },
  }),
};

/** Each kind with its fields; arguments have names, so that parameters are those of an object. */
export const toolSchema = (): JsonObject => ({
  oneOf: Object.entries(toolKinds).map(([kind, { needs, takes }]) => ({
    required: [kind, ...needs],
    propertyNames: { enum: [kind, ...needs, ...takes] },
  })),
  allOf: [{ properties: { parameters: { required: ['type'], properties: { type: { const: 'object' } } } } }],
});
