// The parameter that says how long a page may be.
import * as z from 'zod';

/** `what` is on the page, as in "Items". */
export const pageLimit = (what: string) =>
  z
    .string()
    .regex(/^\d{1,3}$/, 'must be a number from 1 to 200')
    .transform(Number)
    .pipe(z.int().min(1).max(200))
    .optional()
    .meta({ description: `${what} per page, 1 to 200; default 50.` });
