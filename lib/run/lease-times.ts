// How soon another worker resumes a run whose worker died: the times of its lease and of its message, which
// belong together.

/** How long the lease of a queued run is valid; it is renewed while its runner lives. */
export const leaseMs = 90_000;
/**
 * The same for a run that the request executes which started it. Nobody resumes such a run: once its lease has
 * expired it has failed, and its readers learn so within half a minute of the death of its process.
 */
export const inlineLeaseMs = 20_000;
/** What a tenant may set as the time limit of a synchronous run. */
export const runLimitSecondsMax = 150;
/** A runner that has not written for so long, as a share of its lease, renews the lease. */
export const renewAfterShare = 1 / 3;
/** How long a reader of a run waits for an event before it looks whether the run still has a runner. */
export const lookAfterMs = 5_000;
/**
 * How long the queue hides a message from other workers, renewed while its worker lives. Longer than a lease,
 * so that the message finds the run free when it comes back.
 */
export const hiddenSeconds = 120;
export const hideAgainAfterMs = 40_000;
/** Most runs that only compute are over by then, and their messages are deleted without having been hidden. */
export const hideAfterMs = 1_000;
/** Added to a lease before somebody else acts: clocks differ. */
export const marginMs = 3_000;
/**
 * Runners in a row that died at the same snapshot: the run is given up then, before SQS sets its message
 * aside without a reason.
 */
export const claimsMax = 4;
