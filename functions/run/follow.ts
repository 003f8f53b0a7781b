import { streamEndpoint } from '#lib/http/endpoint.ts';
import { withHeartbeat } from '#lib/http/heartbeat.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { heldStream } from '#lib/run/held-stream.ts';
import { ownRunById } from '#lib/run/own-run.ts';
import { hasSeenAll, refusedEvent, runEvents, seenBy } from '#lib/run/server-sent-events.ts';

export const { handler, buffered } = streamEndpoint(
  runRoutes.followRun,
  async ({ params, query, headers, at, ...request }) => {
    const view = await ownRunById(request.caller, params.workflow_id, Date.parse(at));
    const seen = seenBy(headers['last-event-id'], query.after);
    if (hasSeenAll(view, seen)) return { over: true };
    const events = await heldStream(request, 'follow', runEvents(view, seen, request));
    const { isAdmitted } = request;
    const stream = withHeartbeat(events, { beat: ': ping\n\n', isAdmitted, refusal: refusedEvent });
    return { stream, contentType: 'text/event-stream' };
  },
);
