// How soon another worker resumes a run whose worker died: the times of its lease and of its message, which
// belong together.

/** How long the lease of a queued run is valid; it is renewed while its runner lives. */
export const leaseMs = 90_000;
/** A runner that has not written for so long renews its lease. */
export const renewAfterMs = 30_000;
/**
 * How long the queue hides a message from other workers, renewed while its worker lives. Longer than a lease,
 * so that the message finds the run free when it comes back.
 */
export const hiddenSeconds = 120;
export const hideAgainAfterMs = 40_000;
/** Added when a message comes before the lease has run out, and is put off until then. */
export const marginMs = 3_000;
/**
 * Runners in a row that died at the same snapshot: the run is given up then, before SQS sets its message
 * aside without a reason.
 */
export const claimsMax = 4;
