import { streamEndpoint } from '#lib/http/endpoint.ts';
import { withHeartbeat } from '#lib/http/heartbeat.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import type { Log } from '#lib/log.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { cancelOnDisconnect } from '#lib/run/cancel-on-disconnect.ts';
import type { InlineRun } from '#lib/run/run-inline.ts';
import { finishTrigger, startTrigger } from '#lib/trigger/start-trigger.ts';

export const { handler, buffered } = streamEndpoint(
  triggerRoutes.triggerFlow,
  async ({ caller, params, body, ...request }) => {
    const trace = await readIncomingTrace(request.headers);
    const started = await startTrigger(caller, params, body, { ...request, trace });
    cancelOnDisconnect(started, request);
    return {
      stream: withHeartbeat(resultText(started, request.log), { beat: ' ' }),
      contentType: 'application/json',
    };
  },
);

async function* resultText(started: InlineRun, log: Log): AsyncGenerator<string> {
  yield JSON.stringify(await finishTrigger(started, log));
}
