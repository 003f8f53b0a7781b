import { streamEndpoint } from '#lib/http/endpoint.ts';
import { waitWithHeartbeat } from '#lib/http/heartbeat.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { cancelOnDisconnect } from '#lib/run/cancel-on-disconnect.ts';
import { finishTrigger, startTrigger } from '#lib/trigger/start-trigger.ts';

export const { handler, buffered } = streamEndpoint(
  triggerRoutes.triggerFlow,
  async ({ caller, params, body, ...request }) => {
    const trace = await readIncomingTrace(request.headers);
    const started = await startTrigger(caller, params, body, { ...request, trace });
    cancelOnDisconnect(started, request);
    const result = finishTrigger(started, request.log).then((ended) => JSON.stringify(ended));
    return { ...(await waitWithHeartbeat(result, { beat: ' ' })), contentType: 'application/json' };
  },
);
