// A parameter that holds words: white space around them does not count, and there is more than that.
import * as z from 'zod';

/** The length counts with the white space, and `\S` is what trimming leaves, so that the OpenAPI document says all of the rule. */
export const words = (max: number) =>
  z.string().max(max).regex(/\S/, 'must have at least 1 character that is not white space').trim();
