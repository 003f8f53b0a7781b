// The part of a CloudFormation template that the local host reads: its schema, and access to resources by
// type. `stack.ts` interprets the resources, `intrinsics.ts` resolves values.
import * as z from 'zod';

const unknownMap = z.record(z.string(), z.unknown());

const templateSchema = z.looseObject({
  Parameters: z.record(z.string(), z.looseObject({ Default: z.unknown().optional() })).default({}),
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: unknownMap.default({}), Metadata: unknownMap.default({}) }),
  ),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).default({}),
});

/** A synthesized template: optional parts may be missing. */
export type Template = z.input<typeof templateSchema>;
export type ReadTemplate = z.output<typeof templateSchema>;
export type TemplateResource = ReadTemplate['Resources'][string];

/**
 * Resolves the intrinsic functions in a value. `where` is the path in the template for error messages, such
 * as `Fn.Properties.Environment`.
 */
export type Resolve = (value: unknown, where: string) => unknown;

export function readTemplate(template: unknown): ReadTemplate {
  const read = templateSchema.safeParse(template);
  if (!read.success) throw new Error(`Not a CloudFormation template: ${z.prettifyError(read.error)}`);
  return read.data;
}

/**
 * All resources of the given types, as [logical id, properties]. Only the properties the schema names are
 * resolved, so that roles and code locations, which are not used locally, need no local counterpart.
 */
export function resourcesOfType<Shape extends z.ZodRawShape>(
  template: ReadTemplate,
  types: readonly string[],
  schema: z.ZodObject<Shape>,
  resolve: Resolve,
): (readonly [string, z.output<z.ZodObject<Shape>>])[] {
  const found = Object.entries(template.Resources).filter(([, resource]) => types.includes(resource.Type));
  return found.map(([logicalId, resource]) => [
    logicalId,
    readProperties(logicalId, resource, schema, resolve),
  ]);
}

function readProperties<Shape extends z.ZodRawShape>(
  logicalId: string,
  resource: TemplateResource,
  schema: z.ZodObject<Shape>,
  resolve: Resolve,
) {
  const known = Object.entries(resource.Properties).filter(([name]) => name in schema.shape);
  const resolved = known.map(([name, value]) => [name, resolve(value, `${logicalId}.Properties.${name}`)]);
  const read = schema.safeParse(Object.fromEntries(resolved));
  if (read.success) return read.data;
  throw new Error(
    `The local host cannot use ${logicalId} (${resource.Type}): ${z.prettifyError(read.error)}`,
  );
}
