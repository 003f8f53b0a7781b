// The TypeScript type of what a JSON Schema, or a schema of zod, describes.
import * as z from 'zod';
import type { JsonObject } from '#lib/json/json.ts';

/** A schema of zod 4. */
export interface ZodSchema<out T = unknown> {
  readonly _zod: { readonly output: T };
}

export type Schema = JsonObject | ZodSchema;

/** `unknown` for what this does not follow, such as `$ref` and `allOf`. */
export type TypeFrom<S> =
  S extends ZodSchema<infer T>
    ? T
    : S extends { readonly const: infer Value }
      ? Value
      : S extends { readonly enum: readonly (infer Value)[] }
        ? Value
        : S extends
              | { readonly anyOf: readonly (infer Choice)[] }
              | { readonly oneOf: readonly (infer Choice)[] }
          ? TypeFrom<Choice>
          : S extends { readonly type: infer Name }
            ? TypeNamed<Name extends readonly (infer Each)[] ? Each : Name, S>
            : unknown;

type TypeNamed<Name, S> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? readonly (S extends { readonly items: infer Items } ? TypeFrom<Items> : unknown)[]
          : Name extends 'object'
            ? S extends { readonly properties: infer Properties }
              ? ObjectFrom<
                  Properties,
                  S extends { readonly required: readonly (infer Each)[] } ? Each : never
                >
              : Readonly<Record<string, unknown>>
            : unknown;

type ObjectFrom<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: TypeFrom<Properties[Name]>;
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?: TypeFrom<Properties[Name]>;
};

export const isZodSchema = (value: object): value is ZodSchema & z.ZodType => '_zod' in value;

/** Throws for a schema that JSON Schema cannot express, such as one with a transformation. */
export function toJsonSchema(schema: z.ZodType): object {
  const { $schema: _version, ...keywords } = z.toJSONSchema(schema);
  return keywords;
}
