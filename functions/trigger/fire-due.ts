import type { Context } from 'aws-lambda';
import { eventSources } from '#lib/api/event-sources.ts';
import { requestLog } from '#lib/log.ts';
import { fireDue } from '#lib/run/schedule/fire-due.ts';

/** The event says nothing that the clock does not: a tick that comes late runs what is due by now. */
export const handler = async (_event: unknown, context: Context): Promise<void> => {
  const log = requestLog({ request_id: context.awsRequestId, route: eventSources.fireDue.entry });
  const remainingMs = () => context.getRemainingTimeInMillis();
  await fireDue({ now: Date.now(), remainingMs, log });
};
