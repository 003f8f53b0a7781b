import { streamEndpoint } from '#lib/http/endpoint.ts';
import { withHeartbeat } from '#lib/http/heartbeat.ts';
import type { Log } from '#lib/log.ts';
import { triggerRoutes } from '#lib/routes/trigger-routes.ts';
import { cancelWhenLeft } from '#lib/run/cancel-abandoned.ts';
import type { StartedRun } from '#lib/run/run-inline.ts';
import { resultOf, startTrigger } from '#lib/trigger/start-trigger.ts';

export const { handler, buffered } = streamEndpoint(
  triggerRoutes.triggerFlow,
  async ({ caller, params, body, ...request }) => {
    const started = await startTrigger(caller, params, body, request);
    cancelWhenLeft(started, request);
    return {
      stream: withHeartbeat(resultText(started, request.log), { beat: ' ' }),
      contentType: 'application/json',
    };
  },
);

async function* resultText(started: StartedRun, log: Log): AsyncGenerator<string> {
  yield JSON.stringify(await resultOf(started, log));
}
