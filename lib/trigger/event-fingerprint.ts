// Tells whether the run of a named event began with that event or with another one.
import { fingerprintOf } from '#lib/fingerprint.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';

/** The run is part of it, so that the fingerprints in the table do not show which runs began with equal events. */
export const eventFingerprint = (run_id: string, event: WebhookBody): string =>
  fingerprintOf([run_id, event]);
