// How much memory functions that answer requests have. Lambda gives CPU in proportion, and bills time by the megabyte.
import type { Route } from '#lib/http/route.ts';

/** By timeout class. A quick route pays for milliseconds, so it gets what shortens its cold start; a run mostly waits for models, and waiting is billed too. */
export const memoryMegabytes = { quick: 1024, run: 512 } as const satisfies Record<Route['timeout'], number>;
