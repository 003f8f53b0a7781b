import { streamEndpoint } from '#lib/api/endpoint.ts';
import { withHeartbeat } from '#lib/api/heartbeat.ts';
import { runEvents } from '#lib/api/run-events.ts';
import { runRoutes } from '#lib/api/run-routes.ts';
import { ownRunById } from '#lib/run/own-run.ts';

export const { handler, buffered } = streamEndpoint(
  runRoutes.followRun,
  async ({ caller, params, query, headers, at, remainingMs }) => {
    const view = await ownRunById(caller, params.workflow_id, Date.parse(at));
    const events = runEvents(view, headers['last-event-id'], query.after, remainingMs);
    return { stream: withHeartbeat(events, ': ping\n\n'), contentType: 'text/event-stream' };
  },
);
