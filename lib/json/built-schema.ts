// Schemas that are built when they are first used (`z.lazy`).
import type * as z from 'zod';

/** The schema inside, built once: `unwrap` of zod builds another one with each call. */
export const built = <S extends z.core.$ZodType>(schema: z.ZodLazy<S>): S => schema._zod.innerType;
