// What an item says of bytes that are kept apart from it, in chunks.
import * as z from 'zod';

/** An item may have 400 KB. */
export const itemBytesMax = 350_000;

export const chunks = z.object({
  /** Names their writer. */
  place: z.string(),
  count: z.number(),
});
export type Chunks = z.infer<typeof chunks>;
