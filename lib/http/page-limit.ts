// The parameter that says how long a page may be.
import * as z from 'zod';

/** `what` is on the page, as in "Items". The pattern is all of the rule, so that the OpenAPI document says it too. */
export const pageLimit = (what: string, limitDefault = 50) =>
  z
    .string()
    .regex(/^0{0,2}[1-9]$|^0?[1-9]\d$|^1\d\d$|^200$/, 'must be a number from 1 to 200')
    .transform(Number)
    .optional()
    .meta({ description: `${what} per page, 1 to 200; default ${limitDefault}.` });

/** A number of two digits at most, from 1 to 50. */
export const oneToFifty = z
  .string()
  .regex(/^0?[1-9]$|^[1-4]\d$|^50$/, 'must be a number from 1 to 50')
  .transform(Number);
