import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { requestLog } from '#lib/log.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { fireDue } from '#lib/trigger/fire-due.ts';

/** A schedule of an earlier release names no clock, and all shards are looked at. The time is that of the system. */
const clockEvent = z.object({ clock: z.number().optional() });

export const handler = async (event: unknown, context: Context): Promise<void> => {
  const log = requestLog({ request_id: context.awsRequestId, route: eventSources.fireDue.entry });
  const remainingMs = () => context.getRemainingTimeInMillis();
  await fireDue({ now: Date.now(), ...clockEvent.parse(event), remainingMs, log });
};
