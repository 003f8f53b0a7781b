// From a schema of the OpenAPI document to values that fit it, as arbitraries of fast-check.
import fc from 'fast-check';
import * as z from 'zod';

export const jsonSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  pattern: z.string().optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
});
export type JsonSchema = z.infer<typeof jsonSchema>;
export type Schemas = Readonly<Record<string, unknown>>;

const ofSeveralTypes = z.looseObject({ type: z.array(z.string()) });

/** What a reference names; of several types, a choice between them; any other schema is itself. */
export function resolved(schema: unknown, schemas: Schemas): JsonSchema {
  const several = ofSeveralTypes.safeParse(schema);
  if (several.success) {
    const { type, ...rest } = several.data;
    return { anyOf: type.map((each) => ({ ...rest, type: each })) };
  }
  const parsed = jsonSchema.parse(schema);
  const name = parsed.$ref?.split('/').at(-1);
  return name === undefined ? parsed : resolved(schemas[name], schemas);
}

const depthMax = 8;

export function fitting(schema: unknown, schemas: Schemas, depth = 0): fc.Arbitrary<unknown> {
  // A schema that is inside itself has to end somewhere; it is that of any JSON.
  if (depth > depthMax) return fc.constant(null);
  const found = resolved(schema, schemas);
  const choices = found.anyOf ?? found.oneOf;
  if (found.const !== undefined) return fc.constant(found.const);
  if (found.enum) return fc.constantFrom(...found.enum);
  if (choices) return fc.oneof(...choices.map((each) => fitting(each, schemas, depth + 1)));
  switch (found.type) {
    case 'string':
      return fittingText(found);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
      return fc.integer({
        min: Math.max(found.minimum ?? -1e6, -1e6),
        max: Math.min(found.maximum ?? 1e6, 1e6),
      });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'array':
      return fc.array(fitting(found.items ?? {}, schemas, depth + 1), {
        minLength: found.minItems ?? 0,
        maxLength: Math.max(found.minItems ?? 0, 3),
      });
    case 'object':
      return fittingObject(found, schemas, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function fittingText({ pattern, format, minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  // Hosts that cannot be resolved (RFC 2606), since the service may call them.
  if (format === 'uri') return fc.stringMatching(/^https:\/\/[a-z]{1,8}\.example\/[a-z0-9/]{0,20}$/);
  if (format === 'uuid') return fc.uuid();
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) };
  return fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: 'binary' }).map(wellFormed));
}

const wellFormed = (text: string): string => text.toWellFormed();

function fittingObject(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  schemas: Schemas,
  depth: number,
): fc.Arbitrary<object> {
  const isOpen = typeof additionalProperties === 'object' && Object.keys(properties).length === 0;
  if (isOpen && depth < 6)
    return fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fitting(additionalProperties, schemas, depth + 4),
      {
        maxKeys: 3,
      },
    );
  const members = Object.entries(properties).map(([name, each]): [string, fc.Arbitrary<unknown>] => [
    name,
    fitting(each, schemas, depth + 1),
  ]);
  return fc.record<Record<string, unknown>, string>(Object.fromEntries(members), {
    requiredKeys: required,
    noNullPrototype: true,
  });
}
