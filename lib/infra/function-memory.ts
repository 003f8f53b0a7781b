// The memory of the functions that serve routes. Lambda allocates CPU in proportion to memory and bills time
// by the megabyte.
import type { Route } from '#lib/http/route.ts';

/**
 * By timeout class. A quick route is billed for milliseconds, so it gets the memory that shortens its cold
 * start. A run mostly waits for models, and waiting is billed too.
 */
export const memoryMegabytes = { quick: 1024, run: 512 } as const satisfies Record<Route['timeout'], number>;
