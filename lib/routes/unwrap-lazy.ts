// The schema inside a `z.lazy`, which has the description and the example. For the documents that are made of the route
// table; a function needs none of this.
import * as z from 'zod';

function unwrapLazy(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodLazy)) return schema;
  const inner = schema.unwrap();
  if (inner instanceof z.ZodType) return unwrapLazy(inner);
  throw new Error('The schema inside a z.lazy is none of zod.');
}

/** The same for each member. */
export const unwrapMembers = (shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, unwrapLazy(schema)]));
