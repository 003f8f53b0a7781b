import type { Context } from 'aws-lambda';
import { requestLog } from '#lib/log.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { fireDue } from '#lib/trigger/fire-due.ts';

/** The event says nothing that the clock does not: a tick that comes late runs what is due by now. */
export const handler = async (_event: unknown, context: Context): Promise<void> => {
  const log = requestLog({ request_id: context.awsRequestId, route: eventSources.fireDue.entry });
  const remainingMs = () => context.getRemainingTimeInMillis();
  await fireDue({ now: Date.now(), remainingMs, log });
};
