// Parameters that several lists and searches take, and the schema of the pages that lists answer. Patterns
// state the whole rule, so that the OpenAPI document states it too.
import * as z from 'zod';

/** A number of three digits at most, from 1 to 200. */
export const oneToTwoHundred = z
  .string()
  .regex(/^0{0,2}[1-9]$|^0?[1-9]\d$|^1\d\d$|^200$/, 'must be a number from 1 to 200')
  .transform(Number);

/** `what` is on the page, as in "Items". */
export const pageLimit = (what: string, limitDefault = 50) =>
  oneToTwoHundred.optional().meta({ description: `${what} per page, 1 to 200; default ${limitDefault}.` });

/** The `nextCursor` of the page before. */
export const pageCursor = z.string().max(1024).optional();

/** One page of a list; `id` names its schema in the OpenAPI document. */
export const pageSchema = <T extends z.ZodType>(item: T, id: string) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().optional() }).meta({ id });

/** A number of two digits at most, from 1 to 50. */
export const oneToFifty = z
  .string()
  .regex(/^0?[1-9]$|^[1-4]\d$|^50$/, 'must be a number from 1 to 50')
  .transform(Number);

/** A text with more than white space, whose length counts before the white space around it is removed. */
export const words = (max: number) =>
  z.string().max(max).regex(/\S/, 'must have at least 1 character that is not white space').trim();
