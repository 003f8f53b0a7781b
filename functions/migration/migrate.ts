import { setTimeout } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { requestLog } from '#lib/log.ts';
import { migrate } from '#lib/migration/migrate.ts';
import { migrationEvent, type Progress } from '#lib/migration/progress.ts';
import { eventSources } from '#lib/routes/event-sources.ts';

export const handler = async (event: unknown, context: Context): Promise<Progress> => {
  const { job, action, write_units: writeUnits } = migrationEvent.parse(event);
  const log = requestLog({ request_id: context.awsRequestId, route: eventSources.migrate.entry });
  const remainingMs = () => context.getRemainingTimeInMillis();
  return await migrate({ job, action, writeUnits, remainingMs, now: Date.now, pause: setTimeout, log });
};
